/** Retries calls of a store that is unavailable. */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Effect, Schedule } from "effect"
import { logStoreUnavailable } from "./DeliveryLog.ts"

/** 100 ms, doubling up to 2 s. */
const pauses = Schedule.exponential("100 millis").pipe(Schedule.union(Schedule.spaced("2 seconds")))

/**
 * Logs each failure and tries again without end: deliveries wait in the store meanwhile. A retry costs more than a call of a
 * store in memory, so it begins only with the first failure.
 */
export const retryWhileUnavailable = <A, R>(
  work: Effect.Effect<A, StoreUnavailable, R>
): Effect.Effect<A, never, R> => {
  const logged = Effect.tapErrorTag(work, "@lead-signals/domain/StoreUnavailable", logStoreUnavailable)
  return Effect.catchAll(logged, (failure) => {
    let isFirst = true
    const next = Effect.suspend((): Effect.Effect<A, StoreUnavailable, R> => {
      if (!isFirst) return logged
      isFirst = false
      return Effect.fail(failure)
    })
    return Effect.orDie(Effect.retry(next, pauses))
  })
}
