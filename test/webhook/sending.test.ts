/** Which webhooks get which events, what is sent again on request, and what is no longer sent. */
import { Brands, Deliveries, Leads, Webhooks, WebhookStore } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { describe, expect, it } from "vitest"
import { day, hour, stores } from "./EmitterStores.ts"
import { answer, hanging, inSequence, pass, settle, startEmitter, virtually } from "./VirtualWorld.ts"

describe.each(stores)("what is sent on %s", (_, store) => {
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
          "id takes a webhook that subscribes to activity.detected; this one subscribes to lead2.created."
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
