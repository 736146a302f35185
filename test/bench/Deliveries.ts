/**
 * Webhook posts a second: ours through the outbox, from enabling the webhook to the last post, each body and each attempt
 * on the disk; reference (d) is an undici loop that signs and posts as many at a time. Both to one receiver in a process
 * of its own.
 */
import { Observing, Operating, Subscribing } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Addresses, Signing } from "@lead-signals/webhook"
import * as NodeWebhook from "@lead-signals/webhook/node"
import { Either, Layer, Logger, ManagedRuntime } from "effect"
import { fork } from "node:child_process"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Agent } from "undici"
import type { Progress } from "./BulkLoad.ts"
import { newObservation } from "./Ingest.ts"

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

type Counted = (posts: number) => Promise<unknown>

const durable = async (url: string, deliveries: number, counted: Counted): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"))
  const runtime = ManagedRuntime.make(host(join(folder, "bench.sqlite")))
  try {
    const brand = await runtime.runPromise(Operating.createBrand("Brand"))
    const source = { type: "post-url" as const, value: "https://network.example/p/1" }
    const signal = await runtime.runPromise(
      Operating.createSignal(brand.id, {
        name: "Launch",
        signalType: "post",
        source: { ...source, liCompanyId: null, company: null }
      })
    )
    const webhook = await runtime.runPromise(
      Subscribing.createWebhook(brand.id, {
        url: `${url}/`,
        events: ["activity.detected"],
        description: null,
        enabled: false
      })
    )
    for (let n = 0; n < deliveries; n += 500) {
      const batch = Array.from({ length: Math.min(500, deliveries - n) }, (_, i) =>
        newObservation(n + i, signal.id)
      )
      await runtime.runPromise(Observing.recordObservations(brand, batch))
    }
    const all = counted(deliveries)
    const startedAt = performance.now()
    await runtime.runPromise(Subscribing.changeWebhook(brand.id, webhook.id, { enabled: true }))
    await all
    return (deliveries * 1000) / (performance.now() - startedAt)
  } finally {
    await runtime.dispose()
    rmSync(folder, { recursive: true })
  }
}

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`
/** As long as the bodies that ours sends. */
const body = JSON.stringify({ id: "wh_1", event: "activity.detected", data: { text: "x".repeat(1900) } })

/** By Node's own hash, as whoever writes such a loop would have it. */
const hmac = (key: Uint8Array, text: string) => createHmac("sha256", key).update(text, "utf8").digest()

const bare = async (url: string, deliveries: number, counted: Counted): Promise<number> => {
  const agent = new Agent()
  const all = counted(deliveries)
  const startedAt = performance.now()
  let next = 0
  const post = async (): Promise<void> => {
    while (next < deliveries) {
      const id = `wh_${next++}`
      const answer = await agent.request({
        origin: url,
        path: "/",
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...Signing.sign([secret], { id, now: Date.now(), body }, hmac)
        },
        body
      })
      await answer.body.dump()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, post))
  await all
  const perSecond = (deliveries * 1000) / (performance.now() - startedAt)
  await agent.close()
  return perSecond
}

export interface DeliveryFigure {
  readonly subject: ReadonlyArray<number>
  readonly reference: ReadonlyArray<number>
}

export const measureDeliveries = async (
  rounds: number,
  deliveries: number,
  progress: Progress
): Promise<DeliveryFigure> => {
  const receiver = fork(fileURLToPath(new URL("CountingReceiver.mjs", import.meta.url)), { execArgv: [] })
  try {
    const [{ port }] = (await once(receiver, "message")) as [{ port: number }]
    const url = `http://127.0.0.1:${port}`
    const counted: Counted = async (posts) => {
      receiver.send({ count: posts })
      await once(receiver, "message")
    }
    const figures = { subject: [] as Array<number>, reference: [] as Array<number> }
    for (let round = 0; round < rounds; round++) {
      progress.say(`deliveries, round ${round + 1}`)
      figures.subject.push(await durable(url, deliveries, counted))
      figures.reference.push(await bare(url, deliveries, counted))
    }
    return figures
  } finally {
    receiver.kill()
  }
}
