import { Clock, Effect } from "effect"

/** A clock that stands where it is set. */
export class SettableClock {
  /** The clock begins at `millis`, in milliseconds since 1970; assign to the property to set it. */
  constructor(public millis: number) {}

  /** Runs the work with this clock in the place of `Clock`. A sleep ends at once. */
  readonly provide = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const nanos = () => BigInt(this.millis) * 1_000_000n
    return Effect.withClock(work, {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: () => this.millis,
      unsafeCurrentTimeNanos: nanos,
      currentTimeMillis: Effect.sync(() => this.millis),
      currentTimeNanos: Effect.sync(nanos),
      sleep: () => Effect.void
    })
  }
}
