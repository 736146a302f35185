/** Attempts at deliveries to receivers that repeat what they got. */
import {
  type AttemptTransitions,
  type Lease,
  Outbox,
  Retries,
  type StoreUnavailable
} from "@lead-signals/domain"
import { Effect } from "effect"
import { responseOf } from "./Canaries.ts"

/** Leases at most so many deliveries that are due. */
export const leaseDue = (places: number, token: string, leaseMillis: number) =>
  Effect.flatMap(Outbox, (outbox) =>
    outbox.lease({
      token,
      leaseMillis,
      limits: {
        total: places,
        reserved: 0,
        perWebhook: places,
        failingTotal: places,
        perFailingWebhook: places
      },
      underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
      body: (material) => JSON.stringify(material)
    })
  )

/** Records an answer to each, with the canaries of responses from the number on. */
export const recordAnswers = (
  leases: ReadonlyArray<Lease>,
  status: number,
  first: number
): Effect.Effect<ReadonlyArray<AttemptTransitions.Recorded>, StoreUnavailable, Outbox> => {
  const results = leases.map((_, i) => ({
    status,
    error: null,
    response: responseOf(first + i),
    retryAfterSeconds: null
  }))
  return Effect.flatMap(Outbox, (outbox) =>
    outbox.record(
      leases.map(({ deliveryId, token, webhook }, i) => ({
        deliveryId,
        token,
        url: webhook.url,
        at: 0,
        durationMillis: 1,
        result: results[i]!,
        settle: (known, now) => Retries.settle(known, results[i]!, now, 0.5)
      }))
    )
  )
}
