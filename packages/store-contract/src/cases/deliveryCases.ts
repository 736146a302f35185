/** What every store must do with webhooks and the deliveries to them. */
import {
  Brands,
  Deliveries,
  LeadStore,
  type Lease,
  Outbox,
  type QueueRequest,
  recordObservations,
  Retries,
  Signals,
  WebhookStore
} from "@lead-signals/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { assertEqual, assertThat } from "../Assertions.ts"
import { compareDeliveries } from "../DeliveryComparison.ts"
import { type Step, subscribed } from "../DeliveryHistories.ts"
import { DeliveryWorld, endDeliveryWorld, leaseMillis, newIds } from "../DeliveryWorld.ts"
import { RetentionWorld } from "../RetentionWorld.ts"
import { type Case, caseOf } from "../StoreUnderTest.ts"

const observed: Step = { step: "observe", seen: [{ person: 0, engagement: 1, author: null }] }

/** How long a store may take to wake who waits, in milliseconds of real time. */
const maxWakingMillis = 10_000
/** For so long nobody is woken by something that happened before, in milliseconds of real time. */
const quietMillis = 200

/** Whether `Outbox.queued` ends within so many milliseconds of real time. */
const isWokenWithin = (millis: number) =>
  Effect.flatMap(Outbox, ({ queued }) =>
    Effect.raceFirst(
      Effect.as(queued, true),
      Effect.as(Effect.withClock(Effect.sleep(millis), Clock.make()), false)
    )
  )

const isOneToAllWhoAreGivenIt: Case = {
  title: "is one store to all who are given its layer in one program [DELIV-2]",
  run: (open) =>
    open.run(
      Effect.gen(function* () {
        class Other extends Context.Tag("@lead-signals/store-contract/Other")<
          Other,
          typeof LeadStore.Service
        >() {}
        const shared = open.store.layer()
        const both = Layer.provideMerge(Layer.effect(Other, LeadStore), shared)
        const found = yield* Effect.gen(function* () {
          const brand = yield* Brands.create("B")
          const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
          const { id } = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
          const seen = { signalId: id, person: { extId: "p", name: "N" }, engagement: { id: "e" } }
          const [outcome] = yield* recordObservations(brand, [seen])
          return yield* (yield* Other).get(brand.id, outcome!.leadId!, "none")
        }).pipe(Effect.provide(both))
        assertThat(
          "LeadStore.get finds no lead that another user of the layer has made",
          Option.isSome(found)
        )
      })
    )
}

/** Cases of webhooks and their deliveries. */
export const deliveryCases: ReadonlyArray<Case> = [
  caseOf("queues dead letters again, the oldest first and no more than it is asked for [DELIV-8]", (clock) =>
    Effect.gen(function* () {
      const world = yield* RetentionWorld.create(clock)
      for (const id of ["e1", "e2"]) yield* world.observe("p", id)
      for (let i = 0; i < 3; i++) {
        clock.millis += 1000
        yield* world.attempt(500, 1)
      }
      const deliveries = yield* Deliveries
      const events = ["lead2.created", "activity.detected"] as const
      const recover = Effect.gen(function* () {
        const request = { since: 0, events, limit: 2 }
        const count = yield* deliveries.recover(world.webhook.id, request, yield* newIds)
        const pending = (yield* world.content()).deliveries.filter(({ state }) => state === "pending")
        return [count, pending.map(({ engagementId, event }) => `${event} ${engagementId}`).toSorted()]
      })
      const oldest = ["activity.detected e1", "lead2.created e1"]
      assertEqual("Deliveries.recover of three with a limit of two", yield* recover, [2, oldest])
      assertEqual("the second", yield* recover, [
        1,
        ["activity.detected e1", "activity.detected e2", oldest[1]]
      ])
      assertEqual("the third", (yield* recover)[0], 0)
    })
  ),

  caseOf("gives each of the attempts that are recorded together its own outcome [DELIV-3]", (clock) =>
    Effect.gen(function* () {
      const world = yield* DeliveryWorld.create(clock)
      const [outbox, deliveries, webhookStore] = yield* Effect.all([Outbox, Deliveries, WebhookStore])
      yield* world.play({ ...subscribed, events: 1 })
      const [webhook] = yield* webhookStore.list(world.brand.id)
      const webhookId = webhook!.id
      const seen = Array.from({ length: 8 }, (_, engagement) => ({ person: 0, engagement, author: null }))
      yield* world.play({ step: "observe", seen })
      const lease = (token: string) =>
        Effect.map(
          outbox.lease({
            token,
            leaseMillis,
            limits: {
              total: 1000,
              reserved: 0,
              perWebhook: 1000,
              failingTotal: 1000,
              perFailingWebhook: 1000
            },
            underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
            body: ({ deliveryId }) => deliveryId
          }),
          ({ leases }) => leases.filter((each) => each.webhook.id === webhookId)
        )
      /** Every fourth attempt succeeds. Each other one fails, and its receiver asks for another delay. */
      const record = (leases: ReadonlyArray<Lease>) =>
        outbox.record(
          leases.map(({ deliveryId, token, webhook: { url } }, i) => {
            const result = {
              status: i % 4 === 0 ? 204 : 500,
              error: null,
              response: null,
              retryAfterSeconds: 10 + i
            }
            return {
              deliveryId,
              token,
              url,
              at: clock.millis,
              durationMillis: i,
              result,
              settle: (known, now) => Retries.settle(known, result, now, 0.5, [1000, 1000])
            }
          })
        )
      const first = yield* lease("first")
      assertEqual("Outbox.lease, deliveries of eight events", first.length, 8)
      yield* record(first)
      const dueAt = first.map((_, i) => (i % 4 === 0 ? null : clock.millis + (10 + i) * 1000))
      const page = { page: 1, pageSize: 100 }
      const { deliveries: recorded } = yield* deliveries.list(webhookId, { state: null, page })
      const outcomeOf = ({ deliveryId }: Lease) => {
        const { attempts, dueAt: due, state } = recorded.find(({ id }) => id === deliveryId)!
        return { state, attempts, dueAt: due }
      }
      assertEqual(
        "Outbox.record, what eight attempts left",
        first.map(outcomeOf),
        dueAt.map((due) => ({ state: due === null ? "delivered" : "pending", attempts: 1, dueAt: due }))
      )
      for (const [i, { deliveryId }] of first.entries()) {
        const found = Option.getOrThrow(yield* deliveries.get(webhookId, deliveryId))
        assertEqual(
          "Deliveries.get, the attempt of each",
          found.attempts.map(({ durationMillis, number, status }) => ({ durationMillis, number, status })),
          [{ durationMillis: i, number: 1, status: i % 4 === 0 ? 204 : 500 }]
        )
      }
      yield* endDeliveryWorld(world)
    })
  ),

  caseOf(
    "makes an event that waited due at once when the one before it ends, or its webhook is ordered no more, also after a clock was set back [ORD-1, ORD-2]",
    (clock) =>
      Effect.gen(function* () {
        const world = yield* DeliveryWorld.create(clock, [])
        const seen = (...engagements: ReadonlyArray<number>): Step => ({
          step: "observe",
          seen: engagements.map((engagement) => ({ person: 0, engagement, author: null }))
        })
        const work = (...ends: ReadonlyArray<number | "late">): Step => ({
          step: "work",
          perWebhook: 50,
          ends,
          delay: 0
        })
        const setBack: Step = { step: "wait", millis: -3_600_000 }
        const steps: ReadonlyArray<Step> = [
          { step: "subscribe", events: 1, enabled: true, ordering: "lead", maxDelay: null },
          seen(1, 2, 3),
          // Two are set aside while the first is under way.
          work("late"),
          work(200),
          setBack,
          // The first is taken, by an attempt that is recorded late; the second dies, and the third goes out.
          work(200, 200, 200, 200),
          work(500),
          work(200),
          seen(4, 5),
          setBack,
          { step: "order", webhook: 0, ordering: "none", maxDelay: null },
          work(200)
        ]
        for (const step of steps) {
          yield* world.play(step)
          yield* compareDeliveries(world)
        }
        assertEqual(
          "Outbox, states of five events of a lead, of which the second was refused",
          world.reference.deliveries.map(({ state }) => state),
          ["delivered", "dead", "delivered", "delivered", "delivered"]
        )
        yield* endDeliveryWorld(world)
      })
  ),

  caseOf("wakes who waits, for a commit, a re-send and a webhook that is enabled [DELIV-2]", (clock) =>
    Effect.gen(function* () {
      const world = yield* DeliveryWorld.create(clock)
      while (yield* isWokenWithin(quietMillis));
      yield* world.play(subscribed)
      const causes: ReadonlyArray<Step> = [
        observed,
        { step: "test", webhook: 0 },
        { step: "enable", webhook: 0, enabled: true }
      ]
      for (const cause of causes) {
        yield* world.play(cause)
        assertThat(
          `Outbox.queued did not end after the step "${cause.step}", which made a delivery due`,
          yield* isWokenWithin(maxWakingMillis)
        )
      }
    })
  ),

  caseOf(
    "makes what waits for its lead due when its webhook is enabled, also by a clock that was set back [DELIV-4]",
    (clock) =>
      Effect.gen(function* () {
        const [deliveries, webhookStore] = yield* Effect.all([Deliveries, WebhookStore])
        clock.millis += 365 * 86_400_000
        const world = yield* DeliveryWorld.create(clock)
        yield* world.play({ ...subscribed, ordering: "lead" })
        yield* world.play(observed)
        yield* compareDeliveries(world)
        // The lease passes over the second event, which waits for the first.
        yield* world.play({ step: "work", perWebhook: 50, ends: ["lost"], delay: 0 })
        yield* world.play({ step: "enable", webhook: 0, enabled: false })
        clock.millis -= 3_600_000
        yield* world.play({ step: "enable", webhook: 0, enabled: true })
        const [webhook] = yield* webhookStore.list(world.brand.id)
        const page = { page: 1, pageSize: 10 }
        const { deliveries: found } = yield* deliveries.list(webhook!.id, { state: "pending", page })
        assertEqual(
          "Deliveries.list, when the event that waits is due after its webhook was enabled",
          found.find(({ event }) => event === "activity.detected")?.dueAt,
          clock.millis
        )
        clock.millis += 3_600_000
        yield* endDeliveryWorld(world)
      })
  ),

  caseOf("queues nothing for a webhook that was deleted since somebody looked [DELIV-8, EVT-9]", (clock) =>
    Effect.gen(function* () {
      const [deliveries, webhookStore] = yield* Effect.all([Deliveries, WebhookStore])
      const world = yield* DeliveryWorld.create(clock)
      yield* world.play(subscribed)
      yield* world.play(observed)
      const [webhook] = yield* webhookStore.list(world.brand.id)
      const [leadId] = world.leads.values()
      const page = { page: 1, pageSize: 1 }
      const [delivery] = (yield* deliveries.list(webhook!.id, { state: null, page })).deliveries
      yield* webhookStore.delete(world.brand.id, webhook!.id)
      const requests: ReadonlyArray<QueueRequest> = [
        { what: "test" },
        { what: "newest-event", leadId: leadId!, event: "lead2.created" },
        { what: "again", deliveryId: delivery!.id }
      ]
      for (const request of requests) {
        const queued = yield* deliveries.queue(webhook!, request, yield* newIds)
        const what = `Deliveries.queue of "${request.what}" must answer none for a webhook that was deleted`
        assertThat(what, Option.isNone(queued))
      }
    })
  ),

  isOneToAllWhoAreGivenIt
]
