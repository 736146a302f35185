/** The events of one lead, one after the other, at a webhook that asks for it. */
import { Webhooks } from "@lead-signals/domain"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { hour, stores } from "./EmitterStores.ts"
import { answer, inSequence, pass, type Posted, settle, startEmitter, virtually } from "./VirtualWorld.ts"

const ordered = { ordering: "lead", events: ["lead2.created", "activity.detected"] } as const

/** The event and its engagement, with the header of its place. */
const seen = ({ body, headers }: Posted): string => {
  const { data, event } = JSON.parse(body)
  return `${event} ${data.lead2?.extId ?? ""} ${data.engagements?.at(-1)?.id ?? ""} ${headers["lead-signals-ordering"]}`
}

describe.each(stores)("an ordered webhook on %s", (_, store) => {
  it("gets the events of a lead one after the other, at once, and those of others beside them [ORD-2, ORD-3]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const slow = (extId: string) => (posted: Posted) => JSON.parse(posted.body).data.lead2.extId === extId
        const webhook = yield* world.webhook(
          (_, posted) => Effect.delay(answer(200)(1, posted), slow("a")(posted) ? 1000 : 1),
          ordered
        )
        for (const engagement of ["e1", "e2", "e3"]) yield* world.observe("a", engagement)
        yield* world.observe("b", "e4")
        // Two on one store, which poll seldom: what becomes due with a record wakes the one that recorded it.
        yield* startEmitter()
        yield* startEmitter()
        yield* settle
        expect(world.to(webhook).map(seen)).toEqual(["lead2.created a e1 lead", "lead2.created b e4 lead"])
        yield* pass(10)
        expect(world.to(webhook).slice(2).map(seen)).toEqual(["activity.detected b e4 lead"])
        yield* pass(4000)
        const ofA = world.to(webhook).filter(slow("a"))
        expect(ofA.map(seen).slice(1)).toEqual([
          "activity.detected a e1 lead",
          "activity.detected a e2 lead",
          "activity.detected a e3 lead"
        ])
        expect(ofA.map(({ at }, i) => at - ofA[0]!.at >= i * 1000)).toEqual([true, true, true, true])
      })
    ))

  it("waits for an event that fails until it is dead, and names it in the next posts [ORD-2, ORD-5]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter({ scheduleMillis: [10_000] })
        const results = [answer(500), answer(500), answer(500), answer(500), answer(200)]
        const webhook = yield* world.webhook(inSequence(...results), { ordering: "lead" })
        for (const engagement of ["e1", "e2", "e3", "e4"]) yield* world.observe("a", engagement)
        yield* settle
        const waiting = yield* world.list(webhook, "pending")
        expect(waiting.slice(0, 3).map(({ dueAt }) => dueAt)).toEqual([null, null, null])
        yield* pass(hour)
        const [fourth, third, second, first] = yield* world.list(webhook)
        expect([first, second, third, fourth].map((each) => each!.state)).toEqual([
          "dead",
          "dead",
          "delivered",
          "delivered"
        ])
        expect(world.to(webhook).map(({ headers, id }) => [id, headers["lead-signals-skipped"]])).toEqual([
          [first!.id, undefined],
          [first!.id, undefined],
          [second!.id, first!.id],
          [second!.id, first!.id],
          [third!.id, `${first!.id} ${second!.id}`],
          [fourth!.id, undefined]
        ])
      })
    ))

  it("holds a lead back for maxDelay at most [ORD-4]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter({ scheduleMillis: [10_000, hour, hour] })
        const failing = inSequence(answer(500), answer(500), answer(500), answer(200))
        const webhook = yield* world.webhook(failing, { ordering: "lead", maxDelay: 60 })
        yield* world.observe("a", "e1")
        yield* world.observe("a", "e2")
        yield* pass(59_000)
        expect(world.to(webhook)).toHaveLength(2)
        yield* pass(2000)
        const [first, , third, next] = world.to(webhook)
        expect(third!.at - first!.at).toBe(60_000)
        expect([third!.id, next!.headers["lead-signals-skipped"]]).toEqual([first!.id, first!.id])
      })
    ))

  it("sends tests and what is sent again out of order, and says so [ORD-6]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(inSequence(answer(200), answer(500), answer(200)), {
          ordering: "lead"
        })
        const leadId = yield* world.observe("a", "e1")
        yield* settle
        const [delivered] = yield* world.list(webhook)
        yield* world.observe("a", "e2")
        yield* settle
        yield* Webhooks.resendDelivery(world.brand.id, webhook.id, delivered!.id)
        yield* Webhooks.resendLead(world.brand.id, leadId, {
          event: "activity.detected",
          webhookId: webhook.id
        })
        yield* Webhooks.test(world.brand.id, webhook.id)
        yield* settle
        const posts = world.to(webhook).slice(2)
        expect(posts.map(seen).sort()).toEqual([
          "activity.detected a e1 none",
          "activity.detected a e2 none",
          "webhook.test   none"
        ])
        expect(posts.map(({ headers }) => headers["lead-signals-resend-of"]).sort()).toEqual([
          delivered!.id,
          undefined,
          undefined
        ])
      })
    ))

  it("sends what waits when it is ordered no longer, and orders what comes after it is ordered again [ORD-1]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(inSequence(answer(500), answer(200)), { ordering: "lead" })
        for (const engagement of ["e1", "e2", "e3"]) yield* world.observe("a", engagement)
        yield* settle
        expect(world.to(webhook)).toHaveLength(1)
        yield* Webhooks.change(world.brand.id, webhook.id, { ordering: "none" })
        yield* settle
        expect(world.to(webhook).map(seen).slice(1).sort()).toEqual([
          "activity.detected a e2 undefined",
          "activity.detected a e3 undefined"
        ])
        yield* Webhooks.change(world.brand.id, webhook.id, { ordering: "lead" })
        yield* world.observe("a", "e4")
        yield* settle
        expect(seen(world.to(webhook).at(-1)!)).toBe("activity.detected a e4 lead")
      })
    ))
})
