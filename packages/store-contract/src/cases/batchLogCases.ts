/** Cases of what receivers answered to batches, once a person of the batch is erased. */
import { Deliveries, Outbox, Retries, WebhookStore } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { assertEqual } from "../Assertions.ts"
import { compareDeliveries } from "../DeliveryComparison.ts"
import { type Step, subscribed } from "../DeliveryHistories.ts"
import { DeliveryWorld, endDeliveryWorld, leaseMillis } from "../DeliveryWorld.ts"
import { type Case, caseOf } from "../StoreUnderTest.ts"

/** Engagements by number, each of a person with a post that is of nobody or of another person. */
const observed = (...seen: Extract<Step, { readonly step: "observe" }>["seen"]): Step => ({
  step: "observe",
  seen
})

/** Attempts everything that is due in one post, which the receiver answers with the status. */
const posted = (status: number): Step => ({
  step: "work",
  perWebhook: 50,
  ends: [status],
  delay: 0,
  isBatched: true
})

/** The logged responses of the webhook's deliveries, by event and engagement. */
const responses = (world: DeliveryWorld) =>
  Effect.gen(function* () {
    const deliveries = yield* Deliveries
    const [webhook] = yield* Effect.flatMap(WebhookStore, ({ list }) => list(world.brand.id))
    const listed = yield* deliveries.list(webhook!.id, { state: null, page: { page: 1, pageSize: 100 } })
    const found: Record<string, ReadonlyArray<string | null>> = {}
    for (const { engagementId, event, id } of listed.deliveries) {
      const { attempts } = Option.getOrThrow(yield* deliveries.get(webhook!.id, id))
      found[`${event} ${engagementId}`] = attempts.map(({ response }) => response)
    }
    return found
  })

/** Cases of erasures and the logs of batches. */
export const batchLogCases: ReadonlyArray<Case> = [
  caseOf(
    "forgets the answer to a batch in every log that has it when one of the batch's persons is erased, and no other answer [PII-3, BATCH-3, DELIV-5]",
    (clock) =>
      Effect.gen(function* () {
        const world = yield* DeliveryWorld.create(clock, [3_600_000])
        const steps: ReadonlyArray<Step> = [
          { ...subscribed, events: 1 },
          observed({ person: 0, engagement: 0, author: null }, { person: 1, engagement: 1, author: null }),
          posted(200),
          // A delivery that names the erased person as a post's author, beside one that does not.
          observed({ person: 2, engagement: 2, author: 0 }, { person: 3, engagement: 3, author: null }),
          posted(201),
          observed({ person: 1, engagement: 4, author: null }, { person: 3, engagement: 5, author: null }),
          posted(202),
          // The person alone, in no batch.
          observed({ person: 0, engagement: 6, author: null }),
          { step: "work", perWebhook: 50, ends: [203], delay: 0 },
          // Twice, each time in another batch.
          observed({ person: 0, engagement: 7, author: null }, { person: 2, engagement: 8, author: null }),
          posted(500),
          { step: "wait", millis: 3_600_000 },
          observed({ person: 3, engagement: 9, author: null }),
          posted(204)
        ]
        for (const step of steps) yield* Effect.zipRight(world.play(step), compareDeliveries(world))
        assertEqual("Deliveries.get, the answers before the erasure", yield* responses(world), {
          "activity.detected e0": ["r200"],
          "activity.detected e1": ["r200"],
          "activity.detected e2": ["r201"],
          "activity.detected e3": ["r201"],
          "activity.detected e4": ["r202"],
          "activity.detected e5": ["r202"],
          "activity.detected e6": ["r203"],
          "activity.detected e7": ["r500", "r204"],
          "activity.detected e8": ["r500", "r204"],
          "activity.detected e9": ["r204"]
        })
        yield* world.play({ step: "erase", person: 0 })
        assertEqual("Deliveries.get, the answers after the erasure", yield* responses(world), {
          "activity.detected e1": [null],
          "activity.detected e2": [null],
          "activity.detected e3": [null],
          "activity.detected e4": ["r202"],
          "activity.detected e5": ["r202"],
          "activity.detected e8": [null, null],
          "activity.detected e9": [null]
        })
        yield* compareDeliveries(world)
        yield* endDeliveryWorld(world)
      })
  ),

  caseOf(
    "logs no answer to a batch of which a person was erased while it was under way [PII-3, BATCH-3, DELIV-5]",
    (clock) =>
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const world = yield* DeliveryWorld.create(clock)
        yield* world.play({ ...subscribed, events: 1 })
        yield* world.play(
          observed({ person: 0, engagement: 0, author: null }, { person: 1, engagement: 1, author: null })
        )
        const [webhook] = yield* Effect.flatMap(WebhookStore, ({ list }) => list(world.brand.id))
        const { leases } = yield* outbox.lease({
          token: "under-way",
          leaseMillis,
          limits: { total: 100, reserved: 0, perWebhook: 50, failingTotal: 100, perFailingWebhook: 50 },
          underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
          body: ({ deliveryId }) => deliveryId
        })
        yield* world.play({ step: "erase", person: 0 })
        const result = { status: 200, error: null, response: "contact 7", retryAfterSeconds: null }
        yield* outbox.record(
          leases
            .filter((lease) => lease.webhook.id === webhook!.id)
            .map(({ deliveryId, token, webhook: { url } }) => ({
              deliveryId,
              token,
              url,
              at: clock.millis,
              durationMillis: 1,
              postedAs: { batchId: "wb_1", format: "envelope" as const },
              result,
              settle: (known, now) => Retries.settle(known, result, now, 0.5, [])
            }))
        )
        assertEqual("Deliveries.get, the answers to a batch with an erased person", yield* responses(world), {
          "activity.detected e1": [null]
        })
        yield* endDeliveryWorld(world)
      })
  )
]
