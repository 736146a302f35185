/**
 * `pnpm bench-webhooks [--quick]`: durable deliveries a second beside a bare undici loop that signs and posts, and what one
 * hanging webhook does to 49 others. Each figure and its reference are measured in one run, in turn. Ends with 1 when the
 * 49 fare worse than the clause allows.
 */
import { Directory, Observing, Operating, Subscribing, type WebhookTargets } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Addresses, Signing } from "@lead-signals/webhook"
import * as NodeWebhook from "@lead-signals/webhook/node"
import { Effect, Either, Layer, Logger, ManagedRuntime } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Agent } from "undici"

const isQuick = process.argv.includes("--quick")
const rounds = isQuick ? 1 : 3
const deliveries = isQuick ? 1500 : 5000
const webhooks = 50
const isolationSeconds = isQuick ? 4 : 10
const commitsPerSecond = 5
const greatestRatio = 1.5

const receiver: ChildProcess = fork(fileURLToPath(new URL("CountingReceiver.mjs", import.meta.url)))
const [{ port }] = (await once(receiver, "message")) as [{ port: number }]
const url = `http://127.0.0.1:${port}`

const answerOf = async <A>(message: object): Promise<A> => {
  receiver.send(message)
  return ((await once(receiver, "message")) as [A])[0]
}

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

/** Over a new file, which is gone afterwards. */
const over = async <A>(
  work: (run: <B, E>(effect: Effect.Effect<B, E, Services>) => Promise<B>) => Promise<A>
) => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"))
  const runtime = ManagedRuntime.make(host(join(folder, "bench.sqlite")))
  try {
    return await work((effect) => runtime.runPromise(effect))
  } finally {
    await runtime.dispose()
    rmSync(folder, { recursive: true })
  }
}

const setUp = Effect.gen(function* () {
  const brand = yield* Operating.createBrand("B")
  const source = {
    type: "post-url" as const,
    value: "https://network.example/p/1",
    liCompanyId: null,
    company: null
  }
  const signal = yield* Operating.createSignal(brand.id, { name: "Launch", signalType: "post", source })
  return { brand, signalId: signal.id }
})

const observation = (signalId: string, n: number) => ({
  signalId,
  person: {
    extId: `p${n}`,
    name: `Person ${n}`,
    headline: "Head of Something at a Company",
    title1: "Head",
    company: { id: 12, name: "Northwind" }
  },
  engagement: {
    id: `e${n}`,
    type: "comment",
    commentText: "Looking forward to trying this in our team next week",
    postUrl: "https://network.example/p/1"
  }
})

const newWebhook = (path: string, enabled = true) => ({
  url: `${url}${path}`,
  events: ["activity.detected" as const],
  description: null,
  enabled
})

/* Throughput */

let sampleBody = ""
const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`

/** Through the outbox: from enabling the webhook to the last post, each body and each attempt on the disk. */
const durable = () =>
  over(async (run) => {
    const { brand, signalId } = await run(setUp)
    const { id } = await run(Subscribing.createWebhook(brand.id, newWebhook("/", false)))
    for (let n = 0; n < deliveries; n += 500) {
      const batch = Array.from({ length: 500 }, (_, i) => observation(signalId, n + i))
      await run(Observing.recordObservations(brand, batch))
    }
    const counted = answerOf({ count: deliveries })
    const startedAt = performance.now()
    await run(Subscribing.changeWebhook(brand.id, id, { enabled: true }))
    await counted
    const seconds = (performance.now() - startedAt) / 1000
    await run(Effect.flatMap(Directory, (directory) => directory.ping))
    return deliveries / seconds
  })

/** As many posts of such a body as the emitter has under way for one webhook. */
const bare = async (): Promise<number> => {
  const agent = new Agent()
  const counted = answerOf({ count: deliveries })
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
          ...Signing.sign([secret], { id, now: Date.now(), body: sampleBody })
        },
        body: sampleBody
      })
      await answer.body.dump()
    }
  }
  await Promise.all(Array.from({ length: 32 }, post))
  await counted
  const seconds = (performance.now() - startedAt) / 1000
  await agent.close()
  return deliveries / seconds
}

/* Isolation */

interface Latencies {
  readonly p50: number
  readonly p99: number
  readonly count: number
}

/** From the acknowledged commit to the receipt, in milliseconds, of all webhooks but the first. */
const latencies = (isOneHanging: boolean): Promise<Latencies> =>
  over(async (run) => {
    const { brand, signalId } = await run(setUp)
    for (let i = 0; i < webhooks; i++) {
      const path = i === 0 ? (isOneHanging ? "/hang" : "/first") : `/${i}`
      await run(Subscribing.createWebhook(brand.id, newWebhook(path)))
    }
    await answerOf({ take: true })
    const committed = new Map<string, bigint>()
    const commits = isolationSeconds * commitsPerSecond
    const startedAt = performance.now()
    for (let n = 0; n < commits; n++) {
      const wait = startedAt + (n * 1000) / commitsPerSecond - performance.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      await run(Observing.recordObservations(brand, [observation(signalId, n)]))
      committed.set(`e${n}`, process.hrtime.bigint())
    }
    await new Promise((resolve) => setTimeout(resolve, 2000))
    const { times } = await answerOf<{ times: Array<[string, string, string]> }>({ take: true })
    const others = times
      .filter(([path]) => path !== "/first")
      .map(([, engagement, at]) => Number(BigInt(at) - committed.get(engagement)!) / 1e6)
      .sort((a, b) => a - b)
    const expected = commits * (webhooks - 1)
    if (others.length !== expected) throw new Error(`${others.length} of ${expected} posts came`)
    const at = (fraction: number): number => others[Math.floor(fraction * (others.length - 1))]!
    return { p50: at(0.5), p99: at(0.99), count: others.length }
  })

/* The run */

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
const spread = (values: ReadonlyArray<number>, digits = 0): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`
const say = (text: string): void => void process.stdout.write(`${text}\n`)

await over(async (run) => {
  const { brand, signalId } = await run(setUp)
  const counted = answerOf({ count: 1 })
  await run(Subscribing.createWebhook(brand.id, newWebhook("/")))
  await run(Observing.recordObservations(brand, [observation(signalId, 0)]))
  await counted
})
sampleBody = JSON.stringify({ id: "wh_1", event: "activity.detected", data: { text: "x".repeat(1400) } })

say(`Deliveries to one webhook of ${deliveries} events, ${rounds} rounds in turn`)
const throughput: { durable: Array<number>; bare: Array<number> } = { durable: [], bare: [] }
for (let round = 0; round < rounds; round++) {
  throughput.durable.push(await durable())
  throughput.bare.push(await bare())
}
say(`  durable, from the outbox on SQLite   ${spread(throughput.durable)} a second`)
say(`  bare undici loop, signed, 32 at once ${spread(throughput.bare)} a second`)
say(
  `  ratio                                ${(median(throughput.durable) / median(throughput.bare)).toFixed(2)}`
)

say(
  `\nFrom commit to receipt, ${webhooks} webhooks, ${commitsPerSecond} events a second, ${isolationSeconds} s a round`
)
const without: Array<Latencies> = []
const withHanging: Array<Latencies> = []
for (let round = 0; round < rounds; round++) {
  without.push(await latencies(false))
  withHanging.push(await latencies(true))
}
const p99 = (all: ReadonlyArray<Latencies>): ReadonlyArray<number> => all.map((each) => each.p99)
const p50 = (all: ReadonlyArray<Latencies>): ReadonlyArray<number> => all.map((each) => each.p50)
const ratio = median(p99(withHanging)) / median(p99(without))
say(`  all well        p50 ${spread(p50(without), 1)} ms   p99 ${spread(p99(without), 1)} ms`)
say(
  `  one hangs 15 s  p50 ${spread(p50(withHanging), 1)} ms   p99 ${spread(p99(withHanging), 1)} ms   (the other ${webhooks - 1})`
)
say(`  ratio of p99    ${ratio.toFixed(2)}   (at most ${greatestRatio})`)
receiver.kill()
process.exitCode = ratio <= greatestRatio ? 0 : 1
