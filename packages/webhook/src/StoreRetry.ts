/** Retries calls of a store that is unavailable. */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Effect, Schedule } from "effect"
import { logStoreUnavailable } from "./DeliveryLog.ts"

/** 100 ms, doubling up to 2 s. */
const pauses = Schedule.exponential("100 millis").pipe(Schedule.union(Schedule.spaced("2 seconds")))

/** Logs each failure and tries again without end: deliveries wait in the store meanwhile. */
export const retryWhileUnavailable = <A, R>(
  work: Effect.Effect<A, StoreUnavailable, R>
): Effect.Effect<A, never, R> =>
  work.pipe(
    Effect.tapErrorTag("@lead-signals/domain/StoreUnavailable", logStoreUnavailable),
    Effect.retry(pauses),
    Effect.orDie
  )
