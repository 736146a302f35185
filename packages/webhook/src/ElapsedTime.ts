/** Measures durations by a clock that no change of the machine's time moves. */
import type { Clock } from "effect"

/** Milliseconds of this clock since an arbitrary instant: only differences mean something. */
export const elapsedMillisOf = (clock: Clock.Clock): number =>
  Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)
