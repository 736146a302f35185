/** Durations by the monotonic clock, which no change of the machine's time moves. */
import { Clock, Effect } from "effect"

/** Milliseconds of the monotonic clock since an arbitrary instant: only differences mean something. */
export const elapsedMillisOf = (clock: Clock.Clock): number =>
  Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)

/** Milliseconds since an arbitrary instant: only differences mean something. */
export const elapsedMillis: Effect.Effect<number> = Effect.clockWith((clock) =>
  Effect.sync(() => elapsedMillisOf(clock))
)
