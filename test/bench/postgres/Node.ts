/**
 * One node of a measurement on Postgres, in a process of its own: it takes observations through the use case that the operator API calls,
 * or runs an emitter. Messages of its parent say what to do.
 */
import { Brands, Outbox, recordObservations, Retries } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Addresses, TargetGuard } from "@lead-signals/webhook"
import * as NodeWebhook from "@lead-signals/webhook/node"
import { Effect, Either, Layer, Logger, ManagedRuntime } from "effect"
import { newObservation } from "../NewObservation.ts"
import { openRows, postAlone } from "./Floors.ts"
import { makePlainPostgresIngest } from "../reference/PlainPostgresIngest.ts"

/** What a node does: each message is answered by one. */
export type Task =
  | {
      readonly do: "open"
      readonly url: string
      readonly role: "ingest" | "emitter" | "outbox" | "reference" | "rows"
    }
  /** `lanes` calls of `batch` observations at a time, of people from number `from` on. */
  | {
      readonly do: "ingest"
      readonly seconds: number
      readonly lanes: number
      readonly batch: number
      readonly from: number
    }
  /** Leases and records deliveries as delivered, without posting them, until none is due. */
  | { readonly do: "drain" }
  /** Posts signed bodies to the paths of as many webhooks, without a database. */
  | { readonly do: "post"; readonly origin: string; readonly count: number; readonly webhooks: number }
  | { readonly do: "close" }

const options = { allowed: [Either.getOrThrow(Addresses.parseCidr("127.0.0.0/8"))] }
const quiet = Logger.remove(Logger.defaultLogger)

const storeOf = (url: string) => Layer.mergeAll(PostgresStore.layer({ url }), webCrypto, quiet)
const ingestHost = (url: string) =>
  TargetGuard.layer(options).pipe(Layer.provide(NodeWebhook.resolver), Layer.provideMerge(storeOf(url)))
/** The same with an emitter, which runs until the host is closed. */
const emitterHost = (url: string) =>
  NodeWebhook.layer({ ...options, drain: 0 }).pipe(Layer.provideMerge(storeOf(url)))

interface Open {
  readonly record: (batch: ReadonlyArray<ReturnType<typeof newObservation>>) => Promise<void>
  readonly drain: () => Promise<number>
  readonly close: () => Promise<void>
}

const notForIt = () => Promise.reject(new Error("the node has another role"))

const openReference = (url: string): Open => {
  const plain = makePlainPostgresIngest(url)
  return {
    record: async (batch) => void (await plain.record(batch)),
    drain: notForIt,
    close: () => plain.close()
  }
}

const openFloor = (url: string): Open => ({ ...openRows(url), drain: notForIt })

const leasedAtOnce = 256
const answered = { status: 204, error: null, response: null, retryAfterSeconds: null }

const drainOutbox = Effect.gen(function* () {
  const outbox = yield* Outbox
  const limits = {
    total: leasedAtOnce,
    reserved: 0,
    perWebhook: leasedAtOnce,
    failingTotal: 1,
    perFailingWebhook: 1
  }
  let done = 0
  for (let n = 0; ; n++) {
    const { leases } = yield* outbox.lease({
      token: `${process.pid}-${n}`,
      leaseMillis: 30_000,
      limits,
      underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
      body: ({ deliveryId }) => JSON.stringify({ id: deliveryId, text: "x".repeat(1900) })
    })
    if (leases.length === 0) return done
    const at = Date.now()
    yield* outbox.record(
      leases.map(({ deliveryId, token, webhook }) => ({
        deliveryId,
        token,
        url: webhook.url,
        at,
        durationMillis: 1,
        result: answered,
        settle: (known, now) => Retries.settle(known, answered, now, 0)
      }))
    )
    done += leases.length
  }
})

const open = async (url: string, role: "ingest" | "emitter" | "outbox"): Promise<Open> => {
  const host = role === "emitter" ? emitterHost(url) : ingestHost(url)
  const runtime = ManagedRuntime.make(host)
  const brand = await runtime.runPromise(Brands.get("1"))
  return {
    record: async (batch) => {
      const outcomes = await runtime.runPromise(recordObservations(brand, batch))
      if (outcomes.some(({ outcome }) => outcome !== "recorded")) throw new Error(JSON.stringify(outcomes[0]))
    },
    drain: () => runtime.runPromise(drainOutbox),
    close: () => runtime.dispose()
  }
}

let node: Open | null = null

const perform = async (task: Task): Promise<object> => {
  switch (task.do) {
    case "open":
      node =
        task.role === "reference"
          ? openReference(task.url)
          : task.role === "rows"
            ? openFloor(task.url)
            : await open(task.url, task.role)
      return {}
    case "ingest": {
      const { batch, from, lanes, seconds } = task
      const endsAt = performance.now() + seconds * 1000
      let [next, done] = [from, 0]
      const lane = async (): Promise<void> => {
        while (performance.now() < endsAt) {
          const first = next
          next += batch
          await node!.record(Array.from({ length: batch }, (_, i) => newObservation(first + i, "1")))
          done += batch
        }
      }
      const startedAt = performance.now()
      await Promise.all(Array.from({ length: lanes }, lane))
      return { done, next, seconds: (performance.now() - startedAt) / 1000 }
    }
    case "drain":
      return { done: await node!.drain() }
    case "post":
      await postAlone(task.origin, task.count, task.webhooks)
      return {}
    case "close":
      await node?.close()
      return {}
  }
}

process.on("message", (task: Task) => {
  perform(task).then(
    (answer) => {
      // What has not been written when the channel closes is lost.
      process.send!(answer, undefined, undefined, () => {
        if (task.do === "close") process.disconnect()
      })
    },
    (failure: unknown) => {
      process.send!({ failure: String(failure) })
    }
  )
})
