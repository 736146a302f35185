/** Time that no setting of the machine's clock moves, for how long something lasts. */
import { Clock, Effect } from "effect"

/** Milliseconds since some instant, by this clock. */
export const elapsedMillisOf = (clock: Clock.Clock): number =>
  Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)

/** Milliseconds since some instant. */
export const elapsedMillis: Effect.Effect<number> = Effect.clockWith((clock) =>
  Effect.sync(() => elapsedMillisOf(clock))
)
