/** Cases of leases: a store gives a delivery to one emitter, keeps to the limits, and gives whole batches. */
import {
  type AttemptTransitions,
  Deliveries,
  type Instant,
  type Lease,
  Outbox,
  Retries,
  Webhooks,
  WebhookStore
} from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { assertEqual, assertThat } from "../Assertions.ts"
import { subscribed } from "../DeliveryHistories.ts"
import { DeliveryWorld, endDeliveryWorld, leaseMillis } from "../DeliveryWorld.ts"
import { type Case, caseOf } from "../StoreUnderTest.ts"

/** Attempts that a receiver ended with 500, and the wish to be left alone for ten seconds. */
const refused = (
  leases: ReadonlyArray<Lease>,
  at: Instant
): ReadonlyArray<AttemptTransitions.FinishedAttempt> => {
  const result = { status: 500, error: null, response: null, retryAfterSeconds: 10 }
  return leases.map(({ deliveryId, token, webhook: { url } }) => ({
    deliveryId,
    token,
    url,
    at,
    durationMillis: 1,
    result,
    settle: (known, now) => Retries.settle(known, result, now, 0.5, [1000])
  }))
}

/** Cases of emitters that lease at once, of limits, and of webhooks that take batches. */
export const leaseCases: ReadonlyArray<Case> = [
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
      yield* outbox.record(refused(yield* lease(1, new Map()), clock.millis))
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
    "says when the next retry is due of a webhook that has a place for it, and of no other [DELIV-7]",
    (clock) =>
      Effect.gen(function* () {
        const world = yield* DeliveryWorld.create(clock)
        const [outbox, webhookStore] = yield* Effect.all([Outbox, WebhookStore])
        const lease = (byWebhook: ReadonlyMap<string, number>) =>
          outbox.lease({
            token: `t${byWebhook.size}`,
            leaseMillis,
            limits: { total: 8, reserved: 0, perWebhook: 2, failingTotal: 8, perFailingWebhook: 2 },
            underWay: { total: byWebhook.size, failingTotal: 0, byWebhook },
            body: ({ deliveryId }) => deliveryId
          })
        yield* world.play(subscribed)
        yield* world.play({ step: "test", webhook: 0 })
        const { id } = (yield* webhookStore.list(world.brand.id))[0]!
        yield* outbox.record(refused((yield* lease(new Map())).leases, clock.millis))
        const next = [(yield* lease(new Map())).nextDueAt, (yield* lease(new Map([[id, 2]]))).nextDueAt]
        assertEqual(
          "Outbox.lease, nextDueAt in milliseconds from now, with both places of the webhook free and with none",
          next.map((at) => (at === null ? null : at - clock.millis)),
          [10_000, null]
        )
        yield* endDeliveryWorld(world)
      })
  ),

  caseOf("leaves no place to an ordered webhook whose due events all wait [DELIV-7, ORD-2]", (clock) =>
    Effect.gen(function* () {
      const world = yield* DeliveryWorld.create(clock)
      const [outbox, webhookStore] = yield* Effect.all([Outbox, WebhookStore])
      const leaseOne = (token: string) =>
        outbox.lease({
          token,
          leaseMillis,
          limits: { total: 1, reserved: 0, perWebhook: 1, failingTotal: 1, perFailingWebhook: 1 },
          underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
          body: ({ deliveryId }) => deliveryId
        })
      const observe = (engagement: number) =>
        world.play({ step: "observe", seen: [{ person: 0, engagement, author: null }] })
      yield* world.play({ ...subscribed, ordering: "lead" })
      yield* observe(0)
      yield* leaseOne("first")
      clock.millis++
      yield* observe(1)
      clock.millis++
      yield* world.play(subscribed)
      const newest = (yield* webhookStore.list(world.brand.id)).at(-1)!
      yield* world.play({ step: "test", webhook: 1 })
      const { leases } = yield* leaseOne("second")
      assertEqual(
        "Outbox.lease of one place, the webhooks that get it while the events of an ordered one wait for an event that is under way",
        leases.map(({ webhook }) => webhook.id),
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
  )
]
