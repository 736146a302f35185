/** Attempts of leased deliveries, recorded as an emitter does after it has made them. */
import {
  type AttemptTransitions,
  type Lease,
  Outbox,
  Retries,
  type StoreUnavailable
} from "@lead-signals/domain"
import { Effect } from "effect"

/** What a receiver answered each of the leases, and how long after a failure each next attempt is. */
interface Attempted {
  readonly status: number
  /** The body of the answer to the lease at an index; none unless given. */
  readonly response?: (index: number) => string | null
  /** The schedule of retries; the service's own unless given. */
  readonly scheduleMillis?: ReadonlyArray<number>
}

/** Records an attempt of each of the leases, of one millisecond at the beginning of 1970; answers what became of each, in order. */
export const recordAttempts = (
  leases: ReadonlyArray<Lease>,
  { response = () => null, scheduleMillis, status }: Attempted
): Effect.Effect<ReadonlyArray<AttemptTransitions.Recorded>, StoreUnavailable, Outbox> =>
  Effect.flatMap(Outbox, (outbox) =>
    outbox.record(
      leases.map(({ deliveryId, token, webhook: { url } }, index) => {
        const result = { status, error: null, response: response(index), retryAfterSeconds: null }
        return {
          deliveryId,
          token,
          url,
          at: 0,
          durationMillis: 1,
          result,
          settle: (known, now) => Retries.settle(known, result, now, 0.5, scheduleMillis)
        }
      })
    )
  )
