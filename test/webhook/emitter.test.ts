import {
  Brands,
  Deliveries,
  Leads,
  Leasing,
  Outbox,
  StoreUnavailable,
  Webhooks,
  WebhookStore
} from "@lead-signals/domain"
import * as MemoryStore from "@lead-signals/store-memory"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Layer, Option } from "effect"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"
import { temporaryFile } from "../harness/TemporaryFolder.ts"
import {
  answer,
  failing,
  hanging,
  inSequence,
  pass,
  settle,
  startEmitter,
  startOfTime,
  virtually
} from "./VirtualWorld.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** As the clause says it. */
const waits = [5000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]

const stores = [
  ["memory", () => MemoryStore.layer],
  ["SQLite", () => SqliteStore.layer({ filename: temporaryFile("emitter.sqlite"), synced: false })]
] as const

describe.each(stores)("the emitter on %s", (_, store) => {
  it("delivers at once, signed, and each retry with a fresh time and signature over the same id and body [DELIV-1, DELIV-3, EVT-1, EVT-5]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(
          inSequence(answer(500), failing("connection"), answer(302), answer(204)),
          {
            events: ["lead2.created"]
          }
        )
        yield* world.observe("p", "e1")
        yield* settle
        // What comes later does not change a body that was sent.
        yield* world.observe("p", "e2", {}, "Another Name")
        yield* pass(3 * hour)
        const posts = world.to(webhook)
        expect(posts).toHaveLength(4)
        expect(new Set(posts.map(({ body, id }) => `${id} ${body}`)).size).toBe(1)
        expect(new Set(posts.map(({ headers }) => headers["webhook-signature"])).size).toBe(4)
        for (const { at, body, headers, id } of posts) {
          expect(headers["webhook-timestamp"]).toBe(String(Math.floor(at / 1000)))
          expect(JSON.parse(body)).toMatchObject({
            id,
            event: "lead2.created",
            version: "1",
            brandId: world.brand.id
          })
          const signed = new StandardWebhook(webhook.secrets.current).sign(id, new Date(at), body)
          expect(headers["webhook-signature"]).toBe(signed)
        }
        expect(JSON.parse(posts[3]!.body).data.lead2.name).toBe("Name of p")
        expect(posts[0]!.at).toBe(startOfTime)
        expect((yield* world.list(webhook)).map(({ state }) => state)).toEqual(["delivered"])
        expect((yield* world.log(webhook)).map(({ error, status }) => status ?? error)).toEqual([
          500,
          "connection",
          302,
          204
        ])
      })
    ))

  it("makes lead2.created of the 20 newest engagements known at the first attempt [EVT-5]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(answer(200), { events: ["lead2.created"], enabled: false })
        for (let i = 0; i < 25; i++) {
          yield* world.observe("p", `e${i}`, { trackedAt: new Date(startOfTime + i * 1000).toISOString() })
        }
        yield* pass(hour)
        expect(world.posted).toEqual([])
        yield* Webhooks.change(world.brand.id, webhook.id, { enabled: true })
        yield* settle
        const { data } = JSON.parse(world.to(webhook)[0]!.body)
        expect(data.engagements.map(({ id }: { id: string }) => id)).toEqual(
          Array.from({ length: 20 }, (__, i) => `e${24 - i}`)
        )
      })
    ))

  it("retries on the schedule, and buries what fails to the end in the dead letters [DELIV-2, DELIV-3]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(answer(500))
        yield* world.observe("p", "e1")
        yield* pass(4 * day)
        const times = world.to(webhook).map(({ at }) => at)
        expect(times).toHaveLength(10)
        for (const [i, wait] of waits.entries()) {
          const waited = times[i + 1]! - times[i]!
          expect([i, waited >= wait * 0.8, waited <= wait * 1.2]).toEqual([i, true, true])
        }
        const [dead] = yield* world.list(webhook, "dead")
        expect(dead).toMatchObject({ state: "dead", attempts: 10, dueAt: null, finishedAt: times[9] })
        expect(yield* world.log(webhook)).toHaveLength(10)
        yield* pass(10 * day)
        expect(world.to(webhook)).toHaveLength(10)
      })
    ))

  it("honours Retry-After on 429 and 503, as seconds and as a date, and on nothing else [DELIV-3]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const date = new Date(startOfTime + 2 * hour).toUTCString()
        const webhooks = yield* Effect.all([
          world.webhook(inSequence(answer(429, "", "3600"), answer(200))),
          world.webhook(inSequence(answer(503, "", date), answer(200))),
          world.webhook(inSequence(answer(500, "", "3600"), answer(200))),
          world.webhook(inSequence(answer(503, "", "soon"), answer(200))),
          world.webhook(inSequence(answer(429, "", "99999999"), answer(200)))
        ])
        yield* world.observe("p", "e1")
        yield* pass(2 * day)
        const waited = webhooks.map((webhook) => world.to(webhook)[1]!.at - startOfTime)
        expect([waited[0], waited[1], waited[4]]).toEqual([hour, 2 * hour, day])
        for (const early of [waited[2]!, waited[3]!]) expect(early).toBeLessThanOrEqual(6000)
      })
    ))

  it("gives an attempt 15 s, and calls it a time-out [DELIV-3, DELIV-5]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(inSequence(hanging, answer(200)))
        yield* world.observe("p", "e1")
        yield* pass(14_999)
        expect((yield* world.list(webhook, "pending"))[0]!.attempts).toBe(0)
        yield* pass(minute)
        expect(yield* world.log(webhook)).toMatchObject([
          { at: startOfTime, durationMillis: 15_000, status: null, error: "timeout" },
          { status: 200 }
        ])
        expect([...world.underWay.values()]).toEqual([0])
      })
    ))

  it("ends an attempt before its lease, when another may begin one [DELIV-2, DELIV-3]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter({ leaseMillis: 6000 })
        const webhook = yield* world.webhook(inSequence(hanging, answer(200)))
        yield* world.observe("p", "e1")
        yield* pass(minute)
        const ended = (yield* world.log(webhook)).find(({ at }) => at === startOfTime)
        expect(ended).toMatchObject({ durationMillis: 5000, error: "timeout" })
        expect(world.greatestUnderWay).toBe(1)
      })
    ))

  it("disables a webhook on 410, holds what it is owed, and starts fresh when it is enabled [DELIV-3, DELIV-4]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(inSequence(answer(500), answer(410), answer(200)))
        yield* world.observe("p", "e1")
        yield* pass(10_000)
        expect(yield* world.refresh(webhook)).toMatchObject({
          enabled: false,
          disabledReason: "The receiver answered 410 Gone.",
          failingSince: startOfTime
        })
        yield* world.observe("p", "e2")
        yield* pass(9 * day)
        expect(world.to(webhook)).toHaveLength(2)
        expect((yield* world.list(webhook, "held")).map(({ engagementId }) => engagementId)).toEqual([
          "e2",
          "e1"
        ])
        expect(yield* world.list(webhook, "pending")).toEqual([])
        const enabled = yield* Webhooks.change(world.brand.id, webhook.id, { enabled: true })
        expect(enabled).toMatchObject({ enabled: true, disabledReason: null, failingSince: null })
        yield* settle
        expect((yield* world.list(webhook, "delivered")).map(({ engagementId }) => engagementId)).toEqual([
          "e2",
          "e1"
        ])
      })
    ))

  it("disables a webhook that has failed everything for five days, says why, and forgets it when enabled [DELIV-4]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(failing("tls"))
        for (let i = 0; i < 5; i++) {
          yield* world.observe("p", `e${i}`)
          yield* pass(day)
        }
        expect((yield* world.refresh(webhook)).enabled).toBe(true)
        yield* pass(day)
        const disabled = yield* world.refresh(webhook)
        expect(disabled.enabled).toBe(false)
        expect(disabled.disabledReason).toBe(
          "Every attempt since 2026-01-05T10:00:00.000Z failed; the last one with tls."
        )
        const made = world.to(webhook).length
        yield* pass(3 * day)
        expect(world.to(webhook)).toHaveLength(made)

        const held = (yield* world.list(webhook, "held")).length
        expect(held).toBeGreaterThan(0)
        yield* Webhooks.change(world.brand.id, webhook.id, { enabled: true })
        yield* settle
        expect(world.to(webhook)).toHaveLength(made + held)
        // A schedule from its beginning: the next attempts come after five seconds, not after a day.
        yield* pass(6000)
        expect(world.to(webhook)).toHaveLength(made + 2 * held)
        expect((yield* world.refresh(webhook)).enabled).toBe(true)
      })
    ))

  it("begins no second attempt of what is under way when its webhook is enabled again [DELIV-2, DELIV-4]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const { id: brandId } = world.brand
        const webhook = yield* world.webhook(
          inSequence(answer(500), () => Effect.delay(answer(500)(1, undefined as never), 10_000), answer(200))
        )
        yield* world.observe("p", "e1")
        yield* pass(7000)
        expect(world.to(webhook)).toHaveLength(2)
        yield* Webhooks.change(brandId, webhook.id, { enabled: false })
        yield* Webhooks.change(brandId, webhook.id, { enabled: true })
        yield* pass(5000)
        expect(world.to(webhook)).toHaveLength(2)
        // And the schedule begins anew: five seconds after it ended, not five minutes.
        yield* pass(12_000)
        expect(world.to(webhook)).toHaveLength(3)
        expect(world.greatestUnderWay).toBe(1)
      })
    ))

  it("stays enabled when an attempt of before it was enabled is answered 410 late [DELIV-3, DELIV-4]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const { id: brandId } = world.brand
        const late = () => Effect.delay(answer(410)(1, undefined as never), 10_000)
        const webhook = yield* world.webhook(inSequence(late, answer(410), answer(200)))
        yield* world.observe("p", "e1")
        yield* world.observe("p", "e2")
        yield* settle
        expect((yield* world.refresh(webhook)).enabled).toBe(false)
        yield* Webhooks.change(brandId, webhook.id, { enabled: true })
        yield* pass(12_000)
        expect(yield* world.refresh(webhook)).toMatchObject({
          enabled: true,
          disabledReason: null,
          failingSince: null
        })
        expect((yield* world.list(webhook, "delivered")).map(({ engagementId }) => engagementId)).toEqual([
          "e2",
          "e1"
        ])
      })
    ))

  it("forgets what failed when the URL changes [DELIV-4]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(failing("tls"))
        yield* world.observe("p", "e1")
        yield* settle
        const change = (url: string) => Webhooks.change(world.brand.id, webhook.id, { url })
        expect((yield* change(webhook.url)).failingSince).toBe(startOfTime)
        expect((yield* change("https://elsewhere.example/")).failingSince).toBeNull()
      })
    ))

  it("buries alone what no body can be made of [DELIV-2, DELIV-5]", () => {
    const broken = Layer.effect(
      Outbox,
      Effect.map(Outbox, (outbox) =>
        Outbox.of({
          ...outbox,
          lease: (request) =>
            outbox.lease({
              ...request,
              body: (material) =>
                request.body(material.subject?.engagementId === "e1" ? { ...material, lead: null } : material)
            })
        })
      )
    ).pipe(Layer.provideMerge(store()))
    return virtually(broken as ReturnType<typeof store>, (world) =>
      Effect.gen(function* () {
        yield* startEmitter({ scheduleMillis: [1000] })
        const webhook = yield* world.webhook(answer(200))
        yield* world.observe("p", "e1")
        yield* world.observe("p", "e2")
        yield* pass(5000)
        expect((yield* world.list(webhook)).map(({ state }) => state)).toEqual(["delivered", "dead"])
        expect((yield* world.log(webhook)).map(({ error }) => error)).toEqual(["internal", "internal"])
      })
    )
  })

  it("clears what a webhook is failing since with its first success [DELIV-4]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(inSequence(answer(500), answer(200)))
        yield* world.observe("p", "e1")
        yield* settle
        expect((yield* world.refresh(webhook)).failingSince).toBe(startOfTime)
        yield* pass(10_000)
        expect((yield* world.refresh(webhook)).failingSince).toBeNull()
      })
    ))

  it("sends each webhook the types that it subscribed to, of its brand alone [EVT-2, EVT-3, EVT-7]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const created = yield* world.webhook(answer(200), { events: ["lead2.created"] })
        const activity = yield* world.webhook(answer(200))
        const both = yield* world.webhook(answer(200), { events: ["activity.detected", "lead2.created"] })
        const elsewhere = yield* Brands.create("Other")
        const webhookStore = yield* WebhookStore
        yield* webhookStore.create({ ...both, brandId: elsewhere.id, url: "https://elsewhere.example/" })
        for (const engagement of ["e1", "e2", "e2"]) {
          yield* world.observe("p", engagement)
          yield* settle
        }
        const events = (webhook: typeof both) =>
          world.to(webhook).map(({ body }) => {
            const { data, event } = JSON.parse(body)
            return `${event} ${data.isFirstActivity} ${data.engagements.map((each: { id: string }) => each.id)}`
          })
        expect(events(created)).toEqual(["lead2.created undefined e1"])
        expect(events(activity).sort()).toEqual(["activity.detected false e2", "activity.detected true e1"])
        expect(events(both)).toHaveLength(3)
        expect(world.posted.some(({ url }) => url.includes("elsewhere"))).toBe(false)
        // One that is made later gets nothing of before.
        const late = yield* world.webhook(answer(200))
        yield* pass(hour)
        expect(world.to(late)).toEqual([])
      })
    ))

  it("sends again on request: an event of a lead, a delivery, all that died since; each with a new id [EVT-9, DELIV-8]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter({ scheduleMillis: [] })
        const { id: brandId } = world.brand
        const webhook = yield* world.webhook(inSequence(answer(500), answer(500), answer(200)))
        const other = yield* world.webhook(answer(200), { events: ["lead2.created"] })
        const leadId = yield* world.observe("p", "e1")
        yield* settle
        yield* pass(hour)
        yield* world.observe("p", "e2")
        yield* settle
        const [second, first] = yield* world.list(webhook, "dead")
        expect([first!.engagementId, second!.engagementId]).toEqual(["e1", "e2"])

        // Since the second: one; again: none, for it was sent again already.
        expect(yield* Webhooks.recover(brandId, webhook.id, second!.finishedAt!)).toBe(1)
        expect(yield* Webhooks.recover(brandId, webhook.id, second!.finishedAt!)).toBe(0)
        expect(yield* Webhooks.recover(brandId, webhook.id, first!.finishedAt!)).toBe(1)
        yield* settle
        const delivered = yield* world.list(webhook, "delivered")
        expect(delivered.map(({ resendOf }) => resendOf)).toEqual([first!.id, second!.id])
        expect((yield* world.list(webhook, "dead")).map(({ resentAs }) => resentAs)).toEqual([
          delivered[1]!.id,
          delivered[0]!.id
        ])

        const again = yield* Webhooks.resendDelivery(brandId, webhook.id, first!.id)
        const latest = yield* Webhooks.resendLead(brandId, leadId, {
          event: "activity.detected",
          webhookId: webhook.id
        })
        const created = yield* Webhooks.resendLead(brandId, leadId, {
          event: "lead2.created",
          webhookId: other.id
        })
        const test = yield* Webhooks.test(brandId, webhook.id)
        yield* settle
        const bodyOf = (id: string) => JSON.parse(world.posted.find((each) => each.id === id)!.body)
        expect(bodyOf(again)).toMatchObject({
          id: again,
          data: { engagements: [{ id: "e1" }], isFirstActivity: true }
        })
        expect(bodyOf(latest).data.engagements).toMatchObject([{ id: "e2" }])
        expect(bodyOf(created)).toMatchObject({
          event: "lead2.created",
          data: { engagements: [{ id: "e2" }, { id: "e1" }] }
        })
        expect(bodyOf(test)).toMatchObject({
          event: "webhook.test",
          version: "1",
          brandId,
          data: { webhookId: webhook.id }
        })
        expect(new Set(world.posted.map(({ id }) => id)).size).toBe(world.posted.length)

        const wrong = yield* Effect.flip(
          Webhooks.resendLead(brandId, leadId, { event: "lead2.created", webhookId: webhook.id })
        )
        expect(wrong.message).toContain("subscribes to lead2.created")
        // What the webhook no longer subscribes to is not sent again.
        yield* Webhooks.change(brandId, webhook.id, { events: ["lead2.created"] })
        const dropped = yield* Effect.flip(Webhooks.resendDelivery(brandId, webhook.id, first!.id))
        expect(dropped.message).toBe(
          "id takes a webhook that subscribes to activity.detected; this one to lead2.created."
        )
        yield* Webhooks.change(brandId, webhook.id, { events: ["activity.detected"] })
        const unknown = yield* Effect.flip(
          Webhooks.resendLead(brandId, 999, { event: "activity.detected", webhookId: webhook.id })
        )
        expect(unknown.message).toBe("There is no such lead.")
      })
    ))

  it("keeps what receivers answer, without what they repeat of a person [DELIV-5, PII-2]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const echo = yield* world.webhook((_n, { body }) =>
          answer(500, `Bad: ${body}`)(1, undefined as never)
        )
        const refused = yield* world.webhook(answer(400, "Unknown user NAME OF ADA\u0007, try\nagain"))
        const cut = yield* world.webhook(answer(400, `${"x".repeat(1012)} Headline of ada`))
        yield* world.observe("ada", "e1")
        yield* settle
        const response = (webhook: typeof echo) =>
          Effect.map(world.log(webhook), ([attempt]) => attempt!.response!)
        const echoed = yield* response(echo)
        expect(echoed).toContain("activity.detected")
        for (const personal of ["Name of", "Headline", "Says", '"ada"'])
          expect(echoed).not.toContain(personal)
        expect(yield* response(refused)).toBe("Unknown user […], try again")
        expect(yield* response(cut)).toBe(`${"x".repeat(1012)} […]`)
      })
    ))

  it("delays nobody for a webhook that hangs, nor for many that do [DELIV-7]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const limits = { total: 12, reserved: 2, perWebhook: 3, failingTotal: 6, perFailingWebhook: 1 }
        yield* startEmitter({ limits })
        const dead = yield* Effect.replicateEffect(world.webhook(hanging), 20)
        const healthy = yield* Effect.replicateEffect(world.webhook(answer(200)), 5)
        // Once they are known to hang, they take no more than half of the places.
        yield* Effect.forEach(dead, ({ id }) =>
          Effect.flatMap(WebhookStore, (webhookStore) =>
            webhookStore.update(world.brand.id, id, (webhook) => ({
              ...webhook,
              failingSince: startOfTime
            }))
          )
        )
        for (let i = 0; i < 10; i++) {
          yield* world.observe("p", `e${i}`)
          yield* settle
        }
        for (const webhook of healthy) {
          expect(world.to(webhook).map(({ at }) => at)).toEqual(Array.from({ length: 10 }, () => startOfTime))
        }
        const hangingNow = [...world.underWay.values()].reduce((sum, n) => sum + n, 0)
        expect(hangingNow).toBe(6)
      })
    ))

  it("has no more attempts of a webhook under way than its share [DELIV-7]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter({
          limits: { total: 12, reserved: 0, perWebhook: 3, failingTotal: 6, perFailingWebhook: 1 }
        })
        const slow = yield* world.webhook(() => Effect.delay(answer(200)(1, undefined as never), 1000))
        for (let i = 0; i < 10; i++) yield* world.observe("p", `e${i}`)
        yield* settle
        expect(world.to(slow)).toHaveLength(3)
        yield* pass(1000)
        expect(world.to(slow)).toHaveLength(6)
        yield* pass(3000)
        expect(yield* world.list(slow, "delivered")).toHaveLength(10)
      })
    ))

  it("shares a store with others: nothing twice at once, nothing left [DELIV-2]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        yield* startEmitter()
        yield* startEmitter()
        const webhooks = yield* Effect.replicateEffect(
          world.webhook((n) => Effect.delay(answer(n % 3 === 0 ? 500 : 200)(1, undefined as never), 10)),
          3
        )
        for (let i = 0; i < 20; i++) yield* world.observe("p", `e${i}`)
        yield* pass(day)
        expect(world.greatestUnderWay).toBe(1)
        for (const webhook of webhooks) expect(yield* world.list(webhook, "delivered")).toHaveLength(20)
        const bodies = new Map<string, string>()
        for (const { body, id } of world.posted) {
          expect(bodies.get(id) ?? body).toBe(body)
          bodies.set(id, body)
        }
        expect(bodies.size).toBe(60)
      })
    ))

  it("takes over what another let lie, when its lease runs out, with the same body [DELIV-2]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const first = yield* startEmitter()
        const webhook = yield* world.webhook(inSequence(hanging, answer(200)))
        yield* world.observe("p", "e1")
        yield* settle
        expect(world.to(webhook)).toHaveLength(1)
        const stopping = yield* Effect.fork(first.stop)
        yield* settle
        yield* stopping.await
        yield* startEmitter()
        yield* pass(29_000)
        expect(world.to(webhook)).toHaveLength(1)
        yield* pass(2000)
        const posts = world.to(webhook)
        expect(posts.map(({ body, id }) => `${id} ${body}`)).toEqual([
          `${posts[0]!.id} ${posts[0]!.body}`,
          `${posts[0]!.id} ${posts[0]!.body}`
        ])
        expect((yield* world.list(webhook, "delivered"))[0]!.attempts).toBe(1)
      })
    ))

  it("finishes what is under way when it stops, records it, and begins nothing more [DELIV-2]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const emitter = yield* startEmitter({
          drain: "10 seconds",
          limits: { total: 1, reserved: 0, perWebhook: 1, failingTotal: 1, perFailingWebhook: 1 }
        })
        const webhook = yield* world.webhook(() => Effect.delay(answer(200)(1, undefined as never), 3000))
        yield* world.observe("p", "e1")
        yield* world.observe("p", "e2")
        yield* settle
        const stopping = yield* Effect.fork(emitter.stop)
        yield* pass(2999)
        expect(Option.isNone(yield* stopping.poll)).toBe(true)
        yield* pass(1)
        yield* stopping.await
        expect((yield* world.list(webhook)).map(({ state }) => state)).toEqual(["pending", "delivered"])
        yield* pass(hour)
        expect(world.to(webhook)).toHaveLength(1)
      })
    ))

  describe("while it records what has ended", () => {
    const slowly = () =>
      Layer.effect(
        Outbox,
        Effect.map(Outbox, (outbox) =>
          Outbox.of({ ...outbox, record: (attempts) => Effect.delay(outbox.record(attempts), 5000) })
        )
      ).pipe(Layer.provideMerge(store())) as ReturnType<typeof store>
    const limits = { total: 4, reserved: 0, perWebhook: 1, failingTotal: 4, perFailingWebhook: 1 }

    it("posts the next where all went well, and waits where it did not [DELIV-4, DELIV-7]", () =>
      virtually(slowly(), (world) =>
        Effect.gen(function* () {
          yield* startEmitter({ limits })
          const well = yield* world.webhook(answer(200), { enabled: false })
          const ill = yield* world.webhook(answer(500), { enabled: false })
          for (let i = 0; i < 4; i++) yield* world.observe("p", `e${i}`)
          for (const { id } of [well, ill]) {
            yield* Webhooks.change(world.brand.id, id, { enabled: true })
          }
          yield* settle
          expect([world.to(well).length, world.to(ill).length]).toEqual([2, 1])
          yield* pass(4999)
          expect([world.to(well).length, world.to(ill).length]).toEqual([2, 1])
          yield* pass(1)
          expect(yield* world.list(well, "delivered")).toHaveLength(1)
          expect([world.to(well).length, world.to(ill).length]).toEqual([3, 2])
        })
      ))

    it("does not stop before that is done [DELIV-2]", () =>
      virtually(slowly(), (world) =>
        Effect.gen(function* () {
          const emitter = yield* startEmitter({ limits, drain: "10 seconds" })
          const webhook = yield* world.webhook(answer(200))
          yield* world.observe("p", "e1")
          yield* settle
          const stopping = yield* Effect.fork(emitter.stop)
          yield* pass(4999)
          expect(Option.isNone(yield* stopping.poll)).toBe(true)
          yield* pass(1)
          yield* stopping.await
          expect(yield* world.list(webhook, "delivered")).toHaveLength(1)
        })
      ))
  })

  it("goes on when the store could not answer for a while [DELIV-2]", () => {
    let down = false
    const failingStore = Layer.effect(
      Outbox,
      Effect.map(Outbox, (outbox) => {
        const guard = <A>(work: Effect.Effect<A, StoreUnavailable>) =>
          Effect.suspend(() => (down ? Effect.fail(new StoreUnavailable({ reason: "planted" })) : work))
        return Outbox.of({
          ...outbox,
          lease: (request) => guard(outbox.lease(request)),
          record: (attempts) => guard(outbox.record(attempts))
        })
      })
    ).pipe(Layer.provideMerge(store()))
    return virtually(failingStore as ReturnType<typeof store>, (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(answer(200))
        down = true
        yield* world.observe("p", "e1")
        yield* pass(20_000)
        expect(world.posted).toEqual([])
        down = false
        yield* pass(5000)
        expect(yield* world.list(webhook, "delivered")).toHaveLength(1)

        // And while what was sent could not be recorded.
        world.receivers.set(webhook.url, () =>
          Effect.sync(() => {
            down = true
          }).pipe(Effect.zipRight(answer(200)(1, undefined as never)))
        )
        yield* world.observe("p", "e2")
        yield* pass(20_000)
        expect(yield* world.list(webhook, "delivered")).toHaveLength(1)
        down = false
        yield* pass(5000)
        expect(yield* world.list(webhook, "delivered")).toHaveLength(2)
        expect(world.to(webhook)).toHaveLength(2)
      })
    )
  })

  it("outlives a defect of its sender, and calls it internal [DELIV-2, DELIV-5]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(inSequence(() => Effect.die(new Error("secret")), answer(200)))
        yield* world.observe("p", "e1")
        yield* pass(10_000)
        expect((yield* world.log(webhook)).map(({ error, status }) => status ?? error)).toEqual([
          "internal",
          200
        ])
      })
    ))

  it("never sends what was erased: not what waits, not what was made already [PII-3]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(inSequence(answer(500), answer(500), answer(200)), {
          events: ["lead2.created", "activity.detected"]
        })
        const author = {
          postAuthor: "Cy Author",
          postAuthorDetail: { extId: "cy", name: "Cy Author" },
          postUrl: "https://n.example/cy"
        }
        const gone = yield* world.observe("ada", "e1")
        yield* settle
        const posted = world.posted.length
        yield* Leads.erase(world.brand, gone)
        yield* pass(day)
        expect(world.posted).toHaveLength(posted)
        expect(yield* world.list(webhook)).toEqual([])

        // The author of a post: the body that was sent without success is made anew, under another id.
        const flaky = yield* world.webhook(inSequence(answer(500, "Cy Author?"), answer(200)))
        yield* world.observe("bob", "e2", author)
        const cy = yield* world.observe("cy", "e3", {}, "Cy Author")
        yield* settle
        const [before] = world.to(flaky)
        expect(before!.body).toContain("Cy Author")
        yield* Leads.erase(world.brand, cy)
        yield* pass(day)
        const after = world.to(flaky).filter(({ at }) => at > before!.at)
        expect(after.map(({ body }) => /Cy|cy/.test(body))).toEqual([false])
        expect(after[0]!.id).not.toBe(before!.id)
        expect(JSON.parse(after[0]!.body)).toMatchObject({
          id: after[0]!.id,
          data: { engagements: [{ id: "e2" }] }
        })
        const deliveries = yield* Deliveries
        const found = Option.getOrThrow(yield* deliveries.get(flaky.id, after[0]!.id))
        expect(found.attempts.map(({ response, status }) => [status, response])).toEqual([
          [500, null],
          [200, null]
        ])
        expect(Option.isNone(yield* deliveries.get(flaky.id, before!.id))).toBe(true)
      })
    ))

  it("stops sending to a webhook that is deleted, in the middle of an attempt too [DELIV-8]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(hanging)
        yield* world.observe("p", "e1")
        yield* settle
        yield* Webhooks.remove(world.brand.id, webhook.id)
        yield* pass(day)
        expect(world.to(webhook)).toHaveLength(1)
        expect((yield* Effect.flip(world.refresh(webhook))).message).toBe("There is no such webhook.")
        yield* world.observe("p", "e2")
        yield* pass(day)
        expect(world.to(webhook)).toHaveLength(1)
      })
    ))
})

describe("an emitter of very many attempts", () => {
  it("calls time-outs of many at once, though the first have ended before the last begin [DELIV-3, DELIV-5]", () =>
    virtually(MemoryStore.layer, (world) =>
      Effect.gen(function* () {
        const [quick, slow] = [1200, 100]
        const count = quick + slow
        const limits = { ...Leasing.defaultLimits, total: count, reserved: 0, perWebhook: count }
        yield* startEmitter({ limits })
        const first = Array.from({ length: quick }, () => answer(200))
        const webhook = yield* world.webhook(inSequence(...first, hanging), { enabled: false })
        for (let i = 0; i < count; i++) yield* world.observe(`p${i}`, `e${i}`)
        yield* Webhooks.change(world.brand.id, webhook.id, { enabled: true })
        const hangs = () => Array.from(world.underWay.values(), Number).reduce((sum, each) => sum + each, 0)
        yield* pass(14_999)
        expect([world.posted.length, hangs()]).toEqual([count, slow])
        yield* pass(1)
        expect(hangs()).toBe(0)
      })
    ))
})
