/**
 * What every store must do with deliveries, whoever wrote it: generated histories of webhooks, events, leases, attempts,
 * re-sends and erasures go into the store and into the naive reference, and both must show the same after every step.
 */
import {
  type Brand,
  Deliveries,
  DeliveryIds,
  Directory,
  Entropy,
  InvalidParameter,
  type Lease,
  LeadStore,
  Observing,
  Operating,
  Outbox,
  Retries,
  Subscribing,
  WebhookTargets
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { Context, Effect, Layer, ManagedRuntime, Option } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { DeliveryReference, type ReferenceDelivery, type ReferenceWebhook } from "./DeliveryReference.ts"
import { deliveryHistory, people, type Step, subscriptions, types } from "./DeliveryHistories.ts"
import type { Stores } from "./LeadStoreContract.ts"
import { SettableClock } from "./SettableClock.ts"
import { turn } from "../Turn.ts"

const leaseMillis = 30_000

const anyTarget = Layer.succeed(WebhookTargets, {
  check: (url) =>
    url === "" ? Effect.fail(new InvalidParameter({ parameter: "url", message: "" })) : Effect.succeed(url)
})

type Needs = Stores | Entropy | WebhookTargets

export const deliveryContract = (
  name: string,
  layer: () => Layer.Layer<Stores, unknown>,
  runs: number
): void => {
  describe(`${name}: deliveries`, () => {
    let runtime: ManagedRuntime.ManagedRuntime<Needs, unknown>
    const clock = new SettableClock(Date.UTC(2026, 2, 1))
    const run = <A, E>(work: Effect.Effect<A, E, Needs>): Promise<A> =>
      runtime.runPromise(clock.provide(work)).finally(turn)

    beforeAll(async () => {
      runtime = ManagedRuntime.make(Layer.mergeAll(layer(), webCrypto, anyTarget))
      await runtime.runPromise(Effect.void)
    })
    afterAll(() => runtime.dispose())

    interface World {
      readonly brand: Brand
      readonly signalId: string
      readonly reference: DeliveryReference
      readonly leads: Map<string, number>
      /** Leases whose attempts are recorded at some later step. */
      readonly late: Array<{ lease: Lease; of: ReferenceDelivery }>
      readonly bodies: Map<string, string>
      readonly reached: Set<string>
      takes: number
    }

    const setUp = (waitMillis: ReadonlyArray<number> = [1000]) =>
      Effect.gen(function* () {
        const brand = yield* Operating.createBrand("B")
        const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
        const signal = yield* Operating.createSignal(brand.id, { name: "S", signalType: "t", source })
        return {
          brand,
          signalId: signal.id,
          reference: new DeliveryReference(waitMillis),
          leads: new Map<string, number>(),
          late: [] as World["late"],
          bodies: new Map<string, string>(),
          reached: new Set<string>(),
          takes: 0
        } satisfies World as World
      })

    const of = (world: World, index: number): ReferenceWebhook | undefined => {
      const alive = world.reference.webhooks.filter(({ deleted }) => !deleted)
      return alive[index % Math.max(1, alive.length)]
    }

    const settle = (world: World, lease: Lease, status: number) =>
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const result = { status, error: null, response: `r${status}`, retryAfterSeconds: null }
        const { deliveryId, token } = lease
        yield* outbox.record([
          {
            deliveryId,
            token,
            url: lease.webhook.url,
            at: clock.millis,
            durationMillis: 1,
            result,
            settle: (known, now) => Retries.settle(known, result, now, 0.5, world.reference.waitMillis)
          }
        ])
        world.reached.add(`status ${status}`)
      })

    const work = (world: World, { delay, ends, perWebhook }: Extract<Step, { step: "work" }>) =>
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const { reference } = world
        const token = `take-${++world.takes}`
        const now = clock.millis
        const own = new Set(reference.webhooks.map(({ id }) => id))
        const expected = reference.webhooks.flatMap((webhook) =>
          reference.due(webhook, now).slice(0, perWebhook)
        )
        // Made before anything is leased: this is what the bodies must show.
        const shown = new Map(expected.map((delivery) => [delivery, reference.shown(delivery)]))
        const { leases, nextDueAt } = yield* outbox.lease({
          token,
          leaseMillis,
          limits: { total: 1000, reserved: 0, perWebhook, failingTotal: 1000, perFailingWebhook: perWebhook },
          underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
          body: ({ deliveryId, engagements, lead, subject }) =>
            JSON.stringify({
              deliveryId,
              event: subject?.event ?? "webhook.test",
              lead: lead?.extId ?? null,
              engagements: engagements.map((read) => read.engagement.id),
              authors: engagements.map((read) => read.engagement.postAuthorDetail?.extId ?? null)
            })
        })
        const ours = leases.filter(({ webhook }) => own.has(webhook.id))
        expect(ours.map(({ deliveryId }) => deliveryId).sort()).toEqual(expected.map(({ id }) => id).sort())
        for (const delivery of expected)
          Object.assign(delivery, { holder: token, isOfEarlier: false, dueAt: now + leaseMillis })
        const byId = new Map(expected.map((delivery) => [delivery.id!, delivery]))
        for (const { body, deliveryId, until, webhook } of ours) {
          const delivery = byId.get(deliveryId)!
          expect([until, webhook.id, webhook.enabled]).toEqual([now + leaseMillis, delivery.webhook.id, true])
          if (delivery.body === null) {
            expect(JSON.parse(body!)).toMatchObject({
              deliveryId,
              event: delivery.event,
              lead: delivery.person,
              engagements: shown.get(delivery)
            })
            for (const erased of reference.erased) expect(body).not.toContain(`"${erased}"`)
            delivery.body = body
          }
          // For as long as the id lives, and after it, too.
          expect([body, world.bodies.get(deliveryId) ?? body]).toEqual([delivery.body, body])
          world.bodies.set(deliveryId, body!)
        }
        expect(nextDueAt === null || nextDueAt > now).toBe(true)
        const nextOfOurs = reference.nextDueAt(now)
        if (nextOfOurs !== null) expect(nextDueAt).toBeLessThanOrEqual(nextOfOurs)
        clock.millis += delay
        for (const [i, lease] of ours.entries()) {
          const end = ends[i % ends.length]!
          const delivery = byId.get(lease.deliveryId)!
          if (end === "late") world.late.push({ lease, of: delivery })
          else if (end !== "lost") {
            yield* settle(world, lease, end)
            reference.settle(delivery, token, end, `r${end}`, clock.millis)
          }
        }
        if (delay === 0 && world.late.length > 0 && ends.length % 2 === 0) {
          const { lease, of: delivery } = world.late.shift()!
          const status = ends.length % 4 === 0 ? 200 : ends.length % 3 === 0 ? 410 : 500
          const isSame = delivery.id === lease.deliveryId
          yield* settle(world, lease, status)
          if (isSame) reference.settle(delivery, lease.token, status, `r${status}`, clock.millis)
          world.reached.add("late")
        }
      })

    const play = (step: Step, world: World) =>
      Effect.gen(function* () {
        const { brand, leads, reference } = world
        const deliveries = yield* Deliveries
        switch (step.step) {
          case "wait":
            clock.millis += step.millis
            return
          case "subscribe": {
            if (reference.webhooks.filter(({ deleted }) => !deleted).length >= 4) return
            const { enabled } = step
            const events = subscriptions[step.events]!
            const created = yield* Subscribing.createWebhook(brand.id, {
              url: "u",
              events,
              description: null,
              enabled
            })
            reference.webhooks.push({ id: created.id, events, enabled, failingSince: null, deleted: false })
            return
          }
          case "observe": {
            const observations = step.seen.map(({ author, engagement, person }) => ({
              signalId: world.signalId,
              person: { extId: people[person]!, name: "N" },
              engagement: {
                id: `e${engagement}`,
                ...(author === null ? {} : { postAuthorDetail: { extId: people[author] } })
              }
            }))
            const outcomes = yield* Observing.recordObservations(brand, observations)
            step.seen.forEach(({ author, engagement, person }, i) => {
              reference.observe(
                people[person]!,
                `e${engagement}`,
                author === null ? null : people[author]!,
                clock.millis
              )
              if (outcomes[i]!.outcome === "recorded") leads.set(people[person]!, outcomes[i]!.leadId!)
            })
            return
          }
          case "work":
            return yield* work(world, step)
          case "enable": {
            const webhook = of(world, step.webhook)
            if (webhook === undefined) return
            yield* Subscribing.changeWebhook(brand.id, webhook.id, { enabled: step.enabled })
            reference.enable(webhook, step.enabled, clock.millis)
            return
          }
          case "delete": {
            const webhook = of(world, step.webhook)
            if (webhook === undefined) return
            yield* Subscribing.deleteWebhook(brand.id, webhook.id)
            reference.delete(webhook)
            return
          }
          case "test": {
            const webhook = of(world, step.webhook)
            if (webhook === undefined) return
            yield* deliveries.test(webhook.id, yield* newIds)
            reference.queue(
              webhook,
              { event: "webhook.test", person: null, engagementId: null },
              clock.millis
            )
            return
          }
          case "resend": {
            const delivery = reference.deliveries[step.delivery % Math.max(1, reference.deliveries.length)]
            if (delivery === undefined) return
            yield* Subscribing.resendDelivery(brand.id, delivery.webhook.id, delivery.id!)
            reference.queue(delivery.webhook, delivery, clock.millis, delivery)
            return
          }
          case "resendLead": {
            const webhook = of(world, step.webhook)
            const person = people[step.person]!
            const event = types[step.event]!
            if (webhook === undefined || !webhook.events.includes(event)) return
            const last = reference.fired.findLast((each) => each.person === person && each.event === event)
            const answer = yield* Effect.option(
              Subscribing.resendLead(brand.id, leads.get(person) ?? 999_999, { event, webhookId: webhook.id })
            )
            expect(Option.isSome(answer)).toBe(last !== undefined)
            if (last !== undefined) reference.queue(webhook, last, clock.millis)
            return
          }
          case "recover": {
            const webhook = of(world, step.webhook)
            if (webhook === undefined) return
            const since = clock.millis - step.ago
            const dead = reference.deliveries
              .map((delivery, i) => ({ delivery, i }))
              .filter(({ delivery: each }) => each.webhook === webhook && each.state === "dead")
              .filter(({ delivery: { event } }) => event === "webhook.test" || step.events.includes(event))
              .filter(({ delivery: each }) => each.resentAs === null && each.finishedAt! >= since)
              .sort((a, b) => a.delivery.finishedAt! - b.delivery.finishedAt! || a.i - b.i)
              .slice(0, step.limit)
            const count = yield* deliveries.recover(
              webhook.id,
              { since, limit: step.limit, events: step.events },
              yield* newIds
            )
            expect(count).toBe(dead.length)
            for (const { delivery } of dead) reference.queue(webhook, delivery, clock.millis, delivery)
            if (count > 0) world.reached.add("recovered")
            return
          }
          case "erase": {
            const person = people[step.person]!
            const leadId = leads.get(person)
            if (leadId === undefined) return
            yield* Operating.eraseLead(brand, leadId)
            leads.delete(person)
            const renamed = reference.erase(person)
            if (renamed.length > 0) world.reached.add("renamed")
          }
        }
      })

    const newIds = Effect.flatMap(Entropy, (entropy) =>
      Effect.map(entropy.bytes(DeliveryIds.seedBytes), DeliveryIds.sequence)
    )

    /** The store's list beside the reference's; ids not known yet are learnt. */
    const compare = ({ bodies, brand, reference }: World) =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        for (const webhook of reference.webhooks) {
          const expected = reference.deliveries.filter((delivery) => delivery.webhook === webhook)
          const page = { page: 1, pageSize: 100 }
          const { deliveries: found, total } = yield* deliveries.list(webhook.id, { state: null, page })
          expect(total).toBe(expected.length)
          const oldestFirst = [...found].reverse()
          oldestFirst.forEach((delivery, i) => {
            const known = expected[i]!
            if (known.id === null) {
              // A new id was never sent before.
              expect([bodies.has(delivery.id), delivery.id]).toEqual([false, expect.stringMatching(/^wh_/)])
              known.id = delivery.id
            }
          })
          expect(
            oldestFirst.map(({ leadId, resendOf: _of, resentAs: _as, ...rest }) => ({
              ...rest,
              ofLead: leadId !== null
            }))
          ).toEqual(
            expected.map((known) => ({
              id: known.id,
              webhookId: webhook.id,
              event: known.event,
              ofLead: known.person !== null,
              engagementId: known.engagementId,
              state: known.state,
              attempts: known.attempts,
              createdAt: known.createdAt,
              dueAt: known.dueAt,
              finishedAt: known.finishedAt
            }))
          )
          oldestFirst.forEach(({ resendOf, resentAs }, i) => {
            expect([resendOf, resentAs]).toEqual([
              expected[i]!.resendOf?.id ?? null,
              expected[i]!.resentAs?.id ?? null
            ])
          })
          for (const state of ["pending", "delivered", "dead"] as const) {
            const those = yield* deliveries.list(webhook.id, { state, page: { page: 2, pageSize: 3 } })
            const ofState = expected.filter((each) => each.state === state).reverse()
            expect([those.total, those.deliveries.map(({ id }) => id)]).toEqual([
              ofState.length,
              ofState.slice(3, 6).map(({ id }) => id)
            ])
          }
          for (const known of expected) {
            const { attempts } = Option.getOrThrow(yield* deliveries.get(webhook.id, known.id!))
            expect(attempts.map(({ number, response, status }) => ({ number, response, status }))).toEqual(
              known.log.map((each, i) => ({ number: i + 1, ...each }))
            )
          }
          const shown = yield* Effect.option(Subscribing.webhook(brand.id, webhook.id))
          expect(Option.isSome(shown)).toBe(!webhook.deleted)
          if (Option.isSome(shown)) {
            const { disabledReason, enabled, failingSince } = shown.value
            expect({ enabled, failingSince, told: disabledReason !== null }).toEqual({
              enabled: webhook.enabled,
              failingSince: webhook.failingSince,
              told: !webhook.enabled
            })
          }
        }
      })

    it("shows after every step what the reference shows, over generated histories [DELIV-2, DELIV-3, DELIV-4, DELIV-5, DELIV-8, EVT-5, EVT-7, EVT-8, EVT-9, PII-3]", async () => {
      const reached = new Map<string, number>()
      await fc.assert(
        fc.asyncProperty(deliveryHistory, fc.constantFrom([], [1000]), (steps, waitMillis) =>
          run(
            Effect.gen(function* () {
              const world = yield* setUp(waitMillis)
              yield* play({ step: "subscribe", events: 2, enabled: true }, world)
              for (const each of steps) {
                yield* play(each, world)
                yield* compare(world)
              }
              for (const mark of world.reached) reached.set(mark, (reached.get(mark) ?? 0) + 1)
              const directory = yield* Directory
              for (const { id } of yield* directory.webhooks(world.brand.id)) {
                yield* directory.deleteWebhook(world.brand.id, id)
              }
            })
          )
        ),
        { numRuns: runs, endOnFailure: false }
      )
      expect([...reached.keys()].sort()).toEqual(
        expect.arrayContaining([
          "late",
          "recovered",
          "renamed",
          "status 200",
          "status 302",
          "status 410",
          "status 500"
        ])
      )
    })

    it("gives a delivery to one of many that ask at once [DELIV-2]", () =>
      run(
        Effect.gen(function* () {
          const world = yield* setUp()
          yield* play({ step: "subscribe", events: 2, enabled: true }, world)
          const seen = Array.from({ length: 20 }, (_, engagement) => ({
            person: 0,
            engagement,
            author: null
          }))
          yield* play({ step: "observe", seen }, world)
          const outbox = yield* Outbox
          const taken = yield* Effect.all(
            Array.from({ length: 30 }, (_, i) =>
              outbox.lease({
                token: `t${i}`,
                leaseMillis,
                limits: { total: 3, reserved: 0, perWebhook: 3, failingTotal: 3, perFailingWebhook: 3 },
                underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
                body: ({ deliveryId }) => deliveryId
              })
            ),
            { concurrency: "unbounded" }
          )
          const ids = taken.flatMap(({ leases }) => leases.map(({ deliveryId }) => deliveryId))
          expect([ids.length, new Set(ids).size]).toEqual([21, 21])
        })
      ))

    it("wakes who waits, for a commit, a re-send and a webhook that is enabled [DELIV-2]", () =>
      run(
        Effect.gen(function* () {
          const outbox = yield* Outbox
          const world = yield* setUp()
          const isWoken = Effect.map(
            Effect.raceFirst(
              Effect.as(outbox.queued, true),
              Effect.as(
                Effect.promise(() => new Promise((r) => setTimeout(r, 200))),
                false
              )
            ),
            (woken) => woken
          )
          while (yield* isWoken);
          yield* play({ step: "subscribe", events: 2, enabled: true }, world)
          for (const each of [
            { step: "observe", seen: [{ person: 0, engagement: 1, author: null }] },
            { step: "test", webhook: 0 },
            { step: "enable", webhook: 0, enabled: true }
          ] as const) {
            yield* play(each, world)
            expect([each.step, yield* isWoken]).toEqual([each.step, true])
          }
        })
      ))

    it("queues nothing for a webhook that was deleted since somebody looked [DELIV-8, EVT-9]", () =>
      run(
        Effect.gen(function* () {
          const [deliveries, directory] = yield* Effect.all([Deliveries, Directory])
          const world = yield* setUp()
          yield* play({ step: "subscribe", events: 2, enabled: true }, world)
          yield* play({ step: "observe", seen: [{ person: 0, engagement: 1, author: null }] }, world)
          const [webhook] = yield* directory.webhooks(world.brand.id)
          const [fired] = yield* Effect.flatMap(Outbox, (outbox) => outbox.after(0, 1_000_000)).pipe(
            Effect.map((events) => events.filter(({ brandId }) => brandId === world.brand.id))
          )
          yield* directory.deleteWebhook(world.brand.id, webhook!.id)
          const lead = { id: fired!.leadId, event: fired!.event }
          for (const queued of [
            yield* deliveries.test(webhook!.id, yield* newIds),
            yield* deliveries.resendEvent(webhook!, lead, yield* newIds)
          ]) {
            expect(Option.isNone(queued)).toBe(true)
          }
        })
      ))

    it("is one store to all who are given its layer in one program [DELIV-2]", async () => {
      class Other extends Context.Tag("test/Other")<Other, typeof LeadStore.Service>() {}
      const shared = layer()
      const both = Layer.effect(Other, LeadStore).pipe(
        Layer.provideMerge(shared),
        Layer.provideMerge(webCrypto)
      )
      const found = await Effect.runPromise(
        Effect.gen(function* () {
          const brand = yield* Operating.createBrand("B")
          const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
          const { id } = yield* Operating.createSignal(brand.id, { name: "S", signalType: "t", source })
          const seen = { signalId: id, person: { extId: "p", name: "N" }, engagement: { id: "e" } }
          const [outcome] = yield* Observing.recordObservations(brand, [seen])
          return yield* (yield* Other).get(brand.id, outcome!.leadId!)
        }).pipe(Effect.provide(both)) as Effect.Effect<Option.Option<unknown>>
      )
      expect(Option.isSome(found)).toBe(true)
    })
  })
}
