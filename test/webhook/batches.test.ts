/** Several events in one post: what is grouped, for how long it waits, and what becomes of each event. */
import { DeliveryIds, DeliverySlots, Webhooks } from "@lead-signals/domain"
import { WebhookEvents, WebhookSignature } from "@lead-signals/webhook"
import { HTTP } from "cloudevents"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { hour, minute, stores } from "./EmitterStores.ts"
import {
  answer,
  type Behaviour,
  hanging,
  inSequence,
  pass,
  type Posted,
  settle,
  startEmitter,
  startOfTime,
  virtually,
  type World
} from "./VirtualWorld.ts"

const eventsOf = ({ body }: Posted) => WebhookEvents.read(body)!
const idsOf = (post: Posted): ReadonlyArray<string> => eventsOf(post).map(({ id }) => id)
const engagementsOf = (post: Posted): ReadonlyArray<string> =>
  eventsOf(post).map(({ data }) => (data as { engagements: [{ id: string }] }).engagements[0].id)

/** `n` engagements, each of a person of their own. */
const observe = (world: World, n: number, from = 1) =>
  Effect.forEach(
    Array.from({ length: n }, (_, i) => from + i),
    (i) => world.observe(`p${i}`, `e${i}`),
    { discard: true }
  )

const limits = DeliverySlots.defaultLimits

const inBatches = (maxBatch: number, maxWait = 0) => ({ maxBatch, maxWait }) as const

describe.each(stores)("batches on %s", (_, store) => {
  it("hold what is due, at most maxBatch, as an array with one signature over its bytes [BATCH-1, BATCH-5]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const webhook = yield* world.webhook(answer(200), inBatches(4))
        const single = yield* world.webhook(answer(200))
        yield* observe(world, 9)
        yield* startEmitter()
        yield* settle
        const posts = world.to(webhook)
        expect(posts.map((post) => engagementsOf(post).length)).toEqual([4, 4, 1])
        expect(posts.flatMap(engagementsOf)).toEqual(Array.from({ length: 9 }, (_, i) => `e${i + 1}`))
        for (const post of posts) {
          expect(Array.isArray(JSON.parse(post.body))).toBe(true)
          expect(post.headers["content-type"]).toBe("application/json")
          expect(post.id).toBe(DeliveryIds.batchId(idsOf(post)))
          const { body, headers } = post
          const { current } = webhook.secrets
          expect(WebhookSignature.verificationFailure(current, headers, body, post.at)).toBe(null)
          expect(WebhookSignature.verificationFailure(current, headers, `${body} `, post.at)).not.toBe(null)
        }
        expect(world.to(single)).toHaveLength(9)
        expect(world.to(single).every(({ body }) => !body.startsWith("["))).toBe(true)
        expect(yield* world.list(webhook, "delivered")).toHaveLength(9)
      })
    ))

  it("wait for further events, for maxWait seconds since the first was due [BATCH-2]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(answer(200), inBatches(3, 60))
        const sizes = () => world.to(webhook).map((post) => engagementsOf(post).length)
        yield* observe(world, 1)
        yield* pass(50_000)
        yield* observe(world, 1, 2)
        yield* pass(9_999)
        expect(sizes()).toEqual([])
        yield* pass(1)
        expect([sizes(), world.to(webhook)[0]!.at - startOfTime]).toEqual([[2], 60_000])
        // A full batch does not wait, and a test waits for nothing.
        yield* observe(world, 4, 3)
        yield* settle
        expect(sizes()).toEqual([2, 3])
        yield* Webhooks.test(world.brand.id, webhook.id)
        yield* settle
        expect(world.to(webhook).at(-1)!.at - startOfTime).toBe(60_000)
        expect(eventsOf(world.to(webhook).at(-1)!).map(({ event }) => event)).toEqual([
          "activity.detected",
          "webhook.test"
        ])
      })
    ))

  it("count an attempt for each event, and are smaller at each retry, so that one bad event dies alone [BATCH-3]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const refuseE5: Behaviour = (n, post) =>
          answer(engagementsOf(post).includes("e5") ? 400 : 200, "no e5")(n, post)
        const webhook = yield* world.webhook(refuseE5, inBatches(16))
        yield* observe(world, 16)
        yield* startEmitter({ scheduleMillis: [minute, minute, minute] })
        yield* pass(4 * hour)
        const sizes = world.to(webhook).map((post) => engagementsOf(post).length)
        expect(sizes).toEqual([16, 4, 4, 4, 4, 1, 1, 1, 1, 1])
        const dead = yield* world.list(webhook, "dead")
        expect(dead.map(({ attempts, engagementId }) => [engagementId, attempts])).toEqual([["e5", 4]])
        const delivered = yield* world.list(webhook, "delivered")
        expect(new Set(delivered.map(({ attempts }) => attempts))).toEqual(new Set([2, 3]))
        expect(delivered).toHaveLength(15)
        const [first] = yield* world.log(webhook)
        expect(first).toMatchObject({ status: 400, response: "no e5", batchId: world.to(webhook)[0]!.id })
      })
    ))

  it("have the same id and bytes when the same events are sent together again [BATCH-5]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const webhook = yield* world.webhook(inSequence(hanging, answer(200)), inBatches(8))
        yield* observe(world, 2)
        yield* startEmitter()
        yield* pass(minute)
        const [first, again] = world.to(webhook)
        expect(world.to(webhook)).toHaveLength(2)
        expect([again!.id, again!.body]).toEqual([first!.id, first!.body])
        expect(again!.headers["webhook-signature"]).not.toBe(first!.headers["webhook-signature"])
      })
    ))

  it("obey Retry-After, 410 and a limit of posts like single events [BATCH-3, DELIV-3, DELIV-7]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter({ limits: { ...limits, perWebhook: 2 } })
        const busy = yield* world.webhook(inSequence(answer(503, "", "7200"), answer(410)), inBatches(2))
        yield* observe(world, 2)
        yield* pass(2 * hour - 1)
        expect(world.to(busy)).toHaveLength(1)
        yield* pass(1)
        // A batch of two is single events after a failure.
        expect(world.to(busy)).toHaveLength(3)
        expect(yield* world.refresh(busy)).toMatchObject({
          enabled: false,
          disabledReason: "The receiver answered 410 Gone."
        })
        expect(yield* world.list(busy, "held")).toHaveLength(2)

        const slow = yield* world.webhook(hanging, inBatches(2))
        yield* observe(world, 9, 10)
        yield* settle
        expect(world.to(slow).map((post) => engagementsOf(post).length)).toEqual([2, 2])
      })
    ))

  it("hold at most 1 MiB, and an event that is larger alone [BATCH-4]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const webhook = yield* world.webhook(answer(200), inBatches(100))
        // 100,000 characters of three bytes.
        const large = { postContent: "あ".repeat(100_000), postUrl: "https://n.example/1" }
        for (let i = 1; i <= 8; i++) yield* world.observe(`p${i}`, `e${i}`, large)
        yield* startEmitter()
        yield* pass(100)
        expect(world.to(webhook).map((post) => engagementsOf(post).length)).toEqual([3, 3, 2])
        for (const { body } of world.to(webhook)) expect(Buffer.byteLength(body)).toBeLessThan(1024 * 1024)
        expect(yield* world.list(webhook, "delivered")).toHaveLength(8)
      })
    ))

  it("are logged without what the answer repeats of any of their persons [BATCH-3, DELIV-5, PII-2]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(answer(500, "Unknown: Name of p1, name of P2"), inBatches(10, 1))
        yield* observe(world, 2)
        yield* pass(1000)
        expect(world.to(webhook)).toHaveLength(1)
        expect((yield* world.log(webhook))[0]!.response).toBe("Unknown: […], […]")
      })
    ))

  it("send events again, and recover the dead ones of a batch, under new ids [BATCH-3, DELIV-8]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter({ scheduleMillis: [] })
        const webhook = yield* world.webhook(inSequence(answer(500), answer(200)), inBatches(10, 1))
        yield* observe(world, 3)
        yield* pass(1000)
        const dead = yield* world.list(webhook, "dead")
        expect(dead).toHaveLength(3)
        yield* Webhooks.resendDelivery(world.brand.id, webhook.id, dead[0]!.id)
        expect(yield* Webhooks.recover(world.brand.id, webhook.id, startOfTime)).toBe(2)
        yield* pass(1000)
        const [first, again] = world.to(webhook)
        expect(new Set(engagementsOf(again!))).toEqual(new Set(engagementsOf(first!)))
        expect(idsOf(again!).some((id) => idsOf(first!).includes(id))).toBe(false)
      })
    ))
})

describe.each(stores)("CloudEvents on %s", (_, store) => {
  it("are sent alone and in batches by their media types, and read by the official implementation [FMT-1, FMT-3]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const api = "https://leads.example.com"
        yield* startEmitter({ apiUrl: api })
        const single = yield* world.webhook(answer(200), { format: "cloudevents" })
        const batched = yield* world.webhook(answer(200), { format: "cloudevents", ...inBatches(10, 1) })
        yield* observe(world, 2)
        yield* pass(1000)
        const singles = world.to(single)
        expect(singles.map(({ headers }) => headers["content-type"])).toEqual(
          Array(2).fill("application/cloudevents+json")
        )
        for (const { body, headers, id } of singles) {
          const event = HTTP.toEvent({ headers, body }) as { id: string; dataschema?: string }
          expect([event.id, event.dataschema]).toEqual([id, `${api}/events/activity.detected.data.json`])
        }
        const [batch] = world.to(batched)
        expect(batch!.headers["content-type"]).toBe("application/cloudevents-batch+json")
        const read = HTTP.toEvent({ headers: batch!.headers, body: batch!.body }) as ReadonlyArray<{
          id: string
        }>
        expect(read.map(({ id }) => id)).toEqual(idsOf(batch!))
        expect((yield* world.log(batched))[0]).toMatchObject({ format: "cloudevents", batchId: batch!.id })
        expect((yield* world.log(single))[0]).toMatchObject({ format: "cloudevents", batchId: null })
      })
    ))

  it("keep the form of a body that was made before the format changed, and mix no forms in a batch [FMT-3]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(inSequence(answer(500), answer(200)), inBatches(10, 1))
        yield* observe(world, 1)
        yield* pass(1000)
        yield* Webhooks.change(world.brand.id, webhook.id, { format: "cloudevents", maxWait: 300 })
        yield* observe(world, 1, 2)
        yield* pass(hour)
        const [first, other, again] = world.to(webhook)
        expect(world.to(webhook)).toHaveLength(3)
        expect([again!.body, again!.headers["content-type"]]).toEqual([first!.body, "application/json"])
        expect(other!.headers["content-type"]).toBe("application/cloudevents-batch+json")
      })
    ))
})
