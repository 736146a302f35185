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
  Webhooks,
  WebhookStore
} from "@lead-signals/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { assertEqual, assertThat } from "../Assertions.ts"
import { compareDeliveries } from "../DeliveryComparison.ts"
import { type Step, subscribed } from "../DeliveryHistories.ts"
import { DeliveryWorld, endDeliveryWorld, leaseMillis, newIds } from "../DeliveryWorld.ts"
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
  caseOf("gives a delivery to one of many that lease at once [DELIV-2]", (clock) =>
    Effect.gen(function* () {
      const world = yield* DeliveryWorld.create(clock)
      const seen = Array.from({ length: 20 }, (_, engagement) => ({ person: 0, engagement, author: null }))
      yield* world.play(subscribed)
      yield* world.play({ step: "observe", seen })
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
      assertEqual(
        "Outbox.lease, leases and different deliveries among those that 30 callers at once got of 21",
        [ids.length, new Set(ids).size],
        [21, 21]
      )
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

  caseOf("keeps no place for a webhook whose next attempt is not due yet [DELIV-7]", (clock) =>
    Effect.gen(function* () {
      const world = yield* DeliveryWorld.create(clock)
      const [outbox, webhookStore] = yield* Effect.all([Outbox, WebhookStore])
      const lease = (total: number, byWebhook: ReadonlyMap<string, number>) =>
        Effect.map(
          outbox.lease({
            token: `t${total}`,
            leaseMillis,
            limits: { total, reserved: 0, perWebhook: 2, failingTotal: 2, perFailingWebhook: 2 },
            underWay: { total: byWebhook.size, failingTotal: 0, byWebhook },
            body: ({ deliveryId }) => deliveryId
          }),
          ({ leases }) => leases
        )
      yield* world.play(subscribed)
      yield* world.play({ step: "test", webhook: 0 })
      const result = { status: 500, error: null, response: null, retryAfterSeconds: 10 }
      yield* outbox.record(
        (yield* lease(1, new Map())).map(({ deliveryId, token, webhook: { url } }) => ({
          deliveryId,
          token,
          url,
          at: clock.millis,
          durationMillis: 1,
          result,
          settle: (known, now) => Retries.settle(known, result, now, 0.5, [1000])
        }))
      )
      yield* world.play(subscribed)
      const newest = (yield* webhookStore.list(world.brand.id)).at(-1)!
      for (let i = 0; i < 2; i++) yield* world.play({ step: "test", webhook: 1 })
      const leased = yield* lease(2, new Map([[newest.id, 1]]))
      assertEqual(
        "Outbox.lease of one place, the webhooks that get it while one waits for a retry and another has an attempt under way",
        leased.map(({ webhook }) => webhook.id),
        [newest.id]
      )
      yield* endDeliveryWorld(world)
    })
  ),

  caseOf(
    "leases what is due of a webhook that takes batches in whole posts, and lets a part wait [BATCH-1, BATCH-2, BATCH-3, BATCH-4, EVT-5]",
    (clock) =>
      Effect.gen(function* () {
        const [outbox, webhookStore] = yield* Effect.all([Outbox, WebhookStore])
        clock.millis += 365 * 86_400_000
        const world = yield* DeliveryWorld.create(clock, [1000, 1000])
        yield* world.play(subscribed)
        const [webhook] = yield* webhookStore.list(world.brand.id)
        const { id: webhookId } = webhook!
        yield* Webhooks.change(world.brand.id, webhookId, {
          events: ["activity.detected"],
          format: "cloudevents",
          maxBatch: 4,
          maxWait: 10
        })
        const page = { page: 1, pageSize: 100 }
        const observeMore = (from: number, count: number) =>
          world.play({
            step: "observe",
            seen: Array.from({ length: count }, (_, i) => ({ person: 0, engagement: from + i, author: null }))
          })
        let token = 0
        const lease = (perWebhook: number, body = (id: string): string => `{"id":"${id}"}`) =>
          Effect.map(
            outbox.lease({
              token: `b${++token}`,
              leaseMillis,
              limits: {
                total: 100,
                reserved: 0,
                perWebhook,
                failingTotal: 100,
                perFailingWebhook: perWebhook
              },
              underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
              body: ({ deliveryId, format }) => (format === "cloudevents" ? body(deliveryId) : null)
            }),
            ({ leases, nextDueAt }) => {
              const own = leases.filter(({ webhook: { id } }) => id === webhookId)
              const posts = new Map<number | null, Array<Lease>>()
              for (const each of own) posts.set(each.batch, [...(posts.get(each.batch) ?? []), each])
              return { posts: [...posts.values()], leases: own, nextDueAt }
            }
          )
        const record = (leases: ReadonlyArray<Lease>, status: number) => {
          const result = { status, error: null, response: null, retryAfterSeconds: null }
          return outbox.record(
            leases.map(({ deliveryId, token, webhook: { url } }) => ({
              deliveryId,
              token,
              url,
              at: clock.millis,
              durationMillis: 1,
              postedAs: { batchId: "wb_1", format: "cloudevents" as const },
              result,
              settle: (known, now) => Retries.settle(known, result, now, 0.5, [1000, 1000])
            }))
          )
        }
        const sizes = (posts: ReadonlyArray<ReadonlyArray<Lease>>) => posts.map(({ length }) => length)
        yield* observeMore(100, 10)
        const observedAt = clock.millis
        const full = yield* lease(5)
        assertEqual(
          "Outbox.lease, sizes of the batches of ten events with room for four",
          sizes(full.posts),
          [4, 4]
        )
        assertThat(
          "Outbox.lease gave a delivery of a batch no number",
          full.leases.every(({ batch }) => batch !== null)
        )
        assertEqual(
          "Outbox.lease, tokens of the two batches",
          new Set(full.leases.map((each) => each.token)).size,
          2
        )
        assertThat(
          `Outbox.lease: nextDueAt is ${full.nextDueAt}, and a part of a batch has waited long enough at ${observedAt + 10_000}`,
          full.nextDueAt !== null && full.nextDueAt <= observedAt + 10_000
        )
        clock.millis += 9_999
        assertEqual("Outbox.lease, what waits for others too early", (yield* lease(5)).leases.length, 0)
        clock.millis += 1
        const rest = yield* lease(5)
        assertEqual("Outbox.lease, sizes of what has waited long enough", sizes(rest.posts), [2])
        yield* record(full.posts[0]!, 200)
        yield* record(full.posts[1]!, 500)
        yield* record(rest.leases, 200)
        const deliveries = yield* Deliveries
        const [delivered] = (yield* deliveries.list(webhookId, { state: "delivered", page })).deliveries
        const found = Option.getOrThrow(yield* deliveries.get(webhookId, delivered!.id))
        assertEqual(
          "Deliveries.get, batchId and format of an attempt",
          found.attempts.map(({ batchId, format }) => ({ batchId, format })),
          [{ batchId: "wb_1", format: "cloudevents" }]
        )
        clock.millis += 20_000
        const again = yield* lease(2)
        assertEqual("Outbox.lease, sizes after a failure of four with two places", sizes(again.posts), [1, 1])
        yield* record(again.leases, 200)
        yield* record((yield* lease(5)).leases, 200)
        yield* observeMore(200, 3)
        clock.millis += 10_000
        const large = yield* lease(5, (id) => `{"id":"${id}","text":"${"é".repeat(200_000)}"}`)
        assertEqual("Outbox.lease, sizes of a batch of bodies of 400 kB", sizes(large.posts), [2])
        const overflow = yield* lease(5)
        assertEqual("Outbox.lease, sizes of what did not fit in 1 MiB", sizes(overflow.posts), [1])
        assertEqual(
          "Outbox.lease, the body of what did not fit, which is made as it is leased",
          overflow.leases.map(({ body }) => body),
          overflow.leases.map(({ deliveryId }) => `{"id":"${deliveryId}"}`)
        )
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
