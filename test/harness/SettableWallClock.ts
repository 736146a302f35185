import { Clock, Effect } from "effect"

/** The machine's clock, or another one, which a test sets as an operator does. Timers and the monotonic clock go on as before. */
export const settableWallClock = (own: Clock.Clock = Clock.make()) => {
  let ahead = 0
  const clock: Clock.Clock = Object.create(own, {
    // A test's clock reads them from its milliseconds.
    unsafeCurrentTimeNanos: { value: () => own.unsafeCurrentTimeNanos() },
    unsafeCurrentTimeMillis: { value: () => own.unsafeCurrentTimeMillis() + ahead },
    currentTimeMillis: { get: () => Effect.sync(() => own.unsafeCurrentTimeMillis() + ahead) }
  })
  return {
    clock,
    /** Sets the clock forward by so many milliseconds, or back by negative ones. */
    set: (millis: number): void => void (ahead += millis)
  }
}
