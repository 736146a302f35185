/** The events of one lead, one after the other, at a webhook that asks for it. */
import { Webhooks } from "@lead-signals/domain"
import { WebhookEvents } from "@lead-signals/webhook"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { hour, minute, stores } from "./EmitterStores.ts"
import {
  answer,
  type Behaviour,
  inSequence,
  pass,
  type Posted,
  settle,
  startEmitter,
  startOfTime,
  virtually,
  type World
} from "./VirtualWorld.ts"

const ordered = { ordering: "lead", events: ["lead2.created", "activity.detected"] } as const

/** The event and its engagement, with the header of its place. */
const seen = ({ body, headers }: Posted): string => {
  const { data, event } = JSON.parse(body)
  return `${event} ${data.lead2?.extId ?? ""} ${data.engagements?.at(-1)?.id ?? ""} ${headers["lead-signals-ordering"]}`
}

/** Starts an emitter, and makes an ordered webhook of batches that is owed three events of one lead: only the first of them may be sent. */
const owedThreeOfOneLead = (world: World) =>
  Effect.gen(function* () {
    yield* startEmitter()
    const webhook = yield* world.webhook(answer(200), { ordering: "lead", maxBatch: 3, maxWait: 60 })
    for (const engagement of ["a1", "a2", "a3"]) yield* world.observe("a", engagement)
    return webhook
  })

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

interface EventData {
  readonly lead2: { readonly extId: string }
  readonly engagements: readonly [{ readonly id: string }]
}

/** The events of a batch, each as its lead and engagement. */
const heldBy = ({ body }: Posted): ReadonlyArray<string> =>
  WebhookEvents.read(body)!.map(({ data }) => {
    const { engagements, lead2 } = data as unknown as EventData
    return `${lead2.extId} ${engagements[0].id}`
  })

describe.each(stores)("batches of an ordered webhook on %s", (_, store) => {
  /** Three engagements of each of three leads, lead by lead. */
  const observeAll = (world: World) =>
    Effect.forEach(
      ["a", "b", "c"].flatMap((lead) => [1, 2, 3].map((n) => [lead, `${lead}${n}`] as const)),
      ([lead, engagement]) => world.observe(lead, engagement),
      { discard: true }
    )

  it("hold one event of a lead at most, and the next ones go out as soon as it is delivered [ORD-2, BATCH-1]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const slowly: Behaviour = (n, posted) => Effect.delay(answer(200)(n, posted), 1000)
        const webhook = yield* world.webhook(slowly, { ordering: "lead", maxBatch: 10 })
        yield* observeAll(world)
        // Two on one store: no lease of either takes a second event of a lead.
        yield* startEmitter()
        yield* startEmitter()
        yield* settle
        expect(world.to(webhook).map(heldBy)).toEqual([["a a1", "b b1", "c c1"]])
        yield* pass(10_000)
        expect(world.to(webhook).map(heldBy)).toEqual([
          ["a a1", "b b1", "c c1"],
          ["a a2", "b b2", "c c2"],
          ["a a3", "b b3", "c c3"]
        ])
        expect(world.to(webhook).map(({ headers }) => headers["lead-signals-ordering"])).toEqual(
          Array(3).fill("lead lead lead")
        )
      })
    ))

  it("hold their leads back when they fail, each until its own event ended, while others go on [ORD-2, ORD-3, BATCH-3]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const refuseB1: Behaviour = (n, posted) =>
          answer(heldBy(posted).includes("b b1") ? 500 : 200)(n, posted)
        const webhook = yield* world.webhook(refuseB1, { ordering: "lead", maxBatch: 10 })
        yield* observeAll(world)
        yield* startEmitter({ scheduleMillis: [minute, minute, minute] })
        yield* settle
        expect(world.to(webhook).map(heldBy)).toEqual([["a a1", "b b1", "c c1"]])
        yield* world.observe("d", "d1")
        yield* world.observe("a", "a4")
        yield* settle
        expect(world.to(webhook).slice(1).map(heldBy)).toEqual([["d d1"]])
        yield* pass(hour)
        const posts = world.to(webhook)
        const withB1 = posts.filter((post) => heldBy(post).includes("b b1"))
        expect(withB1.map((post) => heldBy(post).length)).toEqual([3, 2, 1, 1])
        const delivered = posts.filter((post) => !withB1.includes(post))
        const deliveredOf = (lead: string) =>
          delivered.flatMap((post) => heldBy(post).filter((each) => each.startsWith(lead)))
        expect(deliveredOf("a")).toEqual(["a a1", "a a2", "a a3", "a a4"])
        expect(deliveredOf("b")).toEqual(["b b2", "b b3"])
        expect(deliveredOf("c")).toEqual(["c c1", "c c2", "c c3"])
        // Nothing of a lead goes out before its event of a failed batch ended.
        const at = (event: string) => delivered.find((post) => heldBy(post).includes(event))!.at
        expect(at("a a2")).toBeLessThan(withB1.at(-1)!.at)
        expect(at("b b2")).toBeGreaterThanOrEqual(withB1.at(-1)!.at)
        for (const post of posts) {
          const leads = heldBy(post).map((each) => each.split(" ")[0])
          expect(new Set(leads).size).toBe(leads.length)
        }
        const dead = yield* world.list(webhook, "dead")
        expect(dead.map(({ engagementId }) => engagementId)).toEqual(["b1"])
        const after = delivered.find((post) => heldBy(post).includes("b b2"))!
        expect(after.headers["lead-signals-skipped"]).toBe(dead[0]!.id)
        expect(yield* world.list(webhook, "pending")).toEqual([])
      })
    ))

  it("take other leads from behind as many events that wait for one of their lead [ORD-2, BATCH-1, BATCH-2]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const webhook = yield* owedThreeOfOneLead(world)
        yield* pass(10_000)
        expect(world.to(webhook)).toEqual([])
        yield* world.observe("b", "b1")
        yield* world.observe("c", "c1")
        yield* settle
        expect(world.to(webhook).map(heldBy)).toEqual([["a a1", "b b1", "c c1"]])
      })
    ))

  it("take a test from behind as many events that wait for one of their lead, at once [ORD-2, BATCH-2]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const webhook = yield* owedThreeOfOneLead(world)
        yield* pass(10_000)
        expect(world.to(webhook)).toEqual([])
        yield* Webhooks.test(world.brand.id, webhook.id)
        yield* settle
        const [first] = world.to(webhook)
        expect(JSON.parse(first!.body).map(({ event }: { event: string }) => event)).toEqual([
          "activity.detected",
          "webhook.test"
        ])
      })
    ))

  it("are not full with events that wait for others of their leads, and wait maxWait seconds [ORD-2, BATCH-2]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const webhook = yield* owedThreeOfOneLead(world)
        yield* pass(30_000)
        yield* world.observe("b", "b1")
        yield* pass(29_999)
        expect(world.to(webhook)).toEqual([])
        yield* pass(1)
        const [first] = world.to(webhook)
        expect([heldBy(first!), first!.at - startOfTime]).toEqual([["a a1", "b b1"], minute])
        // The later ones have waited as long.
        yield* settle
        expect(world.to(webhook).slice(1).map(heldBy)).toEqual([["a a2"], ["a a3"]])
      })
    ))
})
