/**
 * Webhook posts: how many a second, and how long they take while one of fifty webhooks hangs. All go to one receiver in a
 * process of its own. Throughput is measured through the outbox, from enabling the webhook to the last post, each body and
 * each attempt on the disk; reference (d) is an undici loop that signs and posts as many at a time.
 */
import {
  Brands,
  largestMaxBatch,
  recordObservations,
  Signals,
  Webhooks,
  type WebhookTargets
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Addresses, WebhookSignature } from "@lead-signals/webhook"
import * as NodeWebhook from "@lead-signals/webhook/node"
import { Effect, Either, Layer, Logger, ManagedRuntime } from "effect"
import { fork } from "node:child_process"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Agent } from "undici"
import type { Progress } from "./BulkLoad.ts"
import { newObservation } from "./NewObservation.ts"
import { type Pace, paced } from "./Pace.ts"
import { makeDeliveriesAlone } from "./reference/DeliveriesAlone.ts"
import { quantile } from "./Statistics.ts"

const atOnce = 32
const options = { allowed: [Either.getOrThrow(Addresses.parseCidr("127.0.0.0/8"))] }

const host = (filename: string) => {
  const services = Layer.mergeAll(
    SqliteStore.layer({ filename }),
    webCrypto,
    Logger.remove(Logger.defaultLogger)
  )
  return NodeWebhook.layer({ ...options, drain: 0 }).pipe(Layer.provideMerge(services))
}

type Services = Layer.Layer.Success<ReturnType<typeof host>> | WebhookTargets
type Run = <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>

/** On a new file, which is removed afterwards. */
const withService = async <A>(work: (run: Run) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"))
  const runtime = ManagedRuntime.make(host(join(folder, "bench.sqlite")))
  try {
    return await work((effect) => runtime.runPromise(effect))
  } finally {
    await runtime.dispose()
    rmSync(folder, { recursive: true })
  }
}

const createBrandAndSignal = Effect.gen(function* () {
  const brand = yield* Brands.create("Brand")
  const source = {
    type: "post-url" as const,
    value: "https://network.example/p/1",
    liCompanyId: null,
    company: null
  }
  const signal = yield* Signals.create(brand.id, { name: "Launch", signalType: "post", source })
  return { brand, signalId: signal.id }
})

const newWebhook = (url: string, enabled: boolean, maxBatch = 1) => ({
  maxBatch,
  url,
  events: ["activity.detected" as const],
  description: null,
  enabled
})

/** The receiving process, `CountingReceiver.mjs`. */
export interface Receiver {
  readonly url: string
  readonly request: <A>(message: object) => Promise<A>
}

/** Runs the receiver as a process of its own while `work` lasts, and ends it after it, also where it fails. */
export const withReceiver = async <A>(
  program: string,
  work: (receiver: Receiver) => Promise<A>
): Promise<A> => {
  const child = fork(program, { execArgv: [] })
  const answer = async () => ((await once(child, "message")) as [any])[0]
  try {
    const { port } = await answer()
    const request = (message: object) => {
      child.send(message)
      return answer()
    }
    return await work({ url: `http://127.0.0.1:${port}`, request })
  } finally {
    child.kill()
  }
}

/** Queues so many events of a brand for a webhook, which is paused. */
const queueDeliveries = async (run: Run, url: string, deliveries: number, maxBatch: number) => {
  const { brand, signalId } = await run(createBrandAndSignal)
  const webhook = await run(Webhooks.create(brand.id, newWebhook(`${url}/`, false, maxBatch)))
  for (let n = 0; n < deliveries; n += 500) {
    const batch = Array.from({ length: Math.min(500, deliveries - n) }, (_, i) =>
      newObservation(n + i, signalId)
    )
    await run(recordObservations(brand, batch))
  }
  return { brand, webhook }
}

const paceOfOutbox = ({ request, url }: Receiver, deliveries: number, maxBatch = 1): Promise<Pace> =>
  withService(async (run) => {
    const { brand, webhook } = await queueDeliveries(run, url, deliveries, maxBatch)
    return paced(async () => {
      const all = request({ count: deliveries })
      await run(Webhooks.change(brand.id, webhook.id, { enabled: true }))
      await all
      return deliveries
    })
  })

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`
/** As long as the bodies that ours sends. */
const body = JSON.stringify({ id: "wh_1", event: "activity.detected", data: { text: "x".repeat(1900) } })

/** By Node's own hash, as the author of such a loop would compute it. */
const hmac = (key: Uint8Array, text: string) => createHmac("sha256", key).update(text, "utf8").digest()

type Post = (id: string, body: string) => Promise<void>

/** Signs and posts with undici. */
const withPosts = async <A>(url: string, work: (post: Post) => Promise<A>): Promise<A> => {
  const agent = new Agent()
  const posted = await work(async (id, body) => {
    const answer = await agent.request({
      origin: url,
      path: "/",
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...WebhookSignature.sign([secret], { id, now: Date.now(), body }, hmac)
      },
      body
    })
    await answer.body.dump()
  })
  await agent.close()
  return posted
}

const paceOfLoop = ({ request, url }: Receiver, deliveries: number): Promise<Pace> =>
  withPosts(url, (post) =>
    paced(async () => {
      const all = request({ count: deliveries })
      let next = 0
      const postInTurn = async (): Promise<void> => {
        while (next < deliveries) await post(`wh_${next++}`, body)
      }
      await Promise.all(Array.from({ length: atOnce }, postInTurn))
      await all
      return deliveries
    })
  )

/** The floor (`reference/DeliveriesAlone.ts`), over a file of the product's. */
const paceOfFloor = async ({ request, url }: Receiver, deliveries: number): Promise<Pace> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"))
  const filename = join(folder, "bench.sqlite")
  try {
    const runtime = ManagedRuntime.make(host(filename))
    await queueDeliveries((effect) => runtime.runPromise(effect), url, deliveries, 1)
    await runtime.dispose()
    const alone = makeDeliveriesAlone(filename)
    const pace = await withPosts(url, (post) =>
      paced(async () => {
        const all = request({ count: deliveries })
        for (let taken = alone.takeNext(atOnce); taken.length > 0; taken = alone.takeNext(atOnce)) {
          await Promise.all(taken.map((each) => post(each.id, each.body)))
        }
        await all
        return deliveries
      })
    )
    alone.close()
    return pace
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Rates of deliveries to one webhook, a figure a round. */
export interface DeliveryFigure {
  /** A webhook that takes batches of 100. */
  readonly batched: ReadonlyArray<Pace>
  readonly subject: ReadonlyArray<Pace>
  readonly reference: ReadonlyArray<Pace>
  /** What must be on the disk, and the posts, alone. */
  readonly floor: ReadonlyArray<Pace>
}

/** `receiver` is the program of the receiving process, `CountingReceiver.mjs`. */
export const measureDeliveries = (
  receiver: string,
  rounds: number,
  deliveries: number,
  progress: Progress
): Promise<DeliveryFigure> =>
  withReceiver(receiver, async (connected) => {
    const figures = {
      batched: [] as Array<Pace>,
      subject: [] as Array<Pace>,
      reference: [] as Array<Pace>,
      floor: [] as Array<Pace>
    }
    for (let round = 0; round <= rounds; round++) {
      progress.say(round === 0 ? "deliveries, not counted" : `deliveries, round ${round}`)
      const subject = await paceOfOutbox(connected, deliveries)
      const batched = await paceOfOutbox(connected, deliveries, largestMaxBatch)
      const reference = await paceOfLoop(connected, deliveries)
      const floor = await paceOfFloor(connected, deliveries)
      // Code that has run for a second is not compiled yet, and each of the four has other code to compile.
      if (round === 0) continue
      figures.subject.push(subject)
      figures.batched.push(batched)
      figures.reference.push(reference)
      figures.floor.push(floor)
    }
    return figures
  })

const webhooks = 50
const commitsPerSecond = 5
/** After the last commit, for the posts that are under way. */
const settleMillis = 2000

/** Milliseconds from the acknowledged commit to the receipt, at all webhooks but the first. */
const latencies = (
  { request, url }: Receiver,
  seconds: number,
  isFirstHanging: boolean
): Promise<ReadonlyArray<number>> =>
  withService(async (run) => {
    const { brand, signalId } = await run(createBrandAndSignal)
    for (let i = 0; i < webhooks; i++) {
      const path = i === 0 ? (isFirstHanging ? "/hang" : "/first") : `/${i}`
      await run(Webhooks.create(brand.id, newWebhook(`${url}${path}`, true)))
    }
    await request({ take: true })
    const committedAt = new Map<string, bigint>()
    const commits = seconds * commitsPerSecond
    const startedAt = performance.now()
    for (let n = 0; n < commits; n++) {
      const wait = startedAt + (n * 1000) / commitsPerSecond - performance.now()
      if (wait > 0) await sleep(wait)
      const observation = newObservation(n, signalId)
      await run(recordObservations(brand, [observation]))
      committedAt.set(observation.engagement.id, process.hrtime.bigint())
    }
    await sleep(settleMillis)
    const { times } = await request<{ times: Array<[path: string, engagement: string, at: string]> }>({
      take: true
    })
    const millis = times
      .filter(([path]) => path !== "/first")
      .map(([, engagement, at]) => Number(BigInt(at) - committedAt.get(engagement)!) / 1e6)
    const expected = commits * (webhooks - 1)
    if (millis.length !== expected) throw new Error(`${millis.length} of ${expected} posts came`)
    return millis
  })

/** How long posts to the other webhooks wait, at one quantile. */
export interface IsolationFigure {
  readonly quantile: number
  /** Milliseconds of each round: while the first webhook hangs, and while it answers. */
  readonly hanging: ReadonlyArray<number>
  readonly well: ReadonlyArray<number>
}

/** How long the posts to the other webhooks take while one never answers. */
export const measureIsolation = (
  receiver: string,
  rounds: number,
  seconds: number,
  progress: Progress
): Promise<ReadonlyArray<IsolationFigure>> =>
  withReceiver(receiver, async (connected) => {
    const [hanging, well]: [Array<ReadonlyArray<number>>, Array<ReadonlyArray<number>>] = [[], []]
    for (let round = 0; round < rounds; round++) {
      progress.say(`deliveries beside a webhook that hangs, round ${round + 1}`)
      well.push(await latencies(connected, seconds, false))
      hanging.push(await latencies(connected, seconds, true))
    }
    return [0.5, 0.99].map((fraction) => ({
      quantile: fraction,
      hanging: hanging.map((millis) => quantile(millis, fraction)),
      well: well.map((millis) => quantile(millis, fraction))
    }))
  })
