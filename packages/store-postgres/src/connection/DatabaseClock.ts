/**
 * A clock that shows the database's time, so that nodes whose clocks differ agree about leases, rate windows and `updatedAt`. The
 * offset comes from the middle of a round trip; of several the shortest counts, for as long as the clocks can't have drifted more than
 * a new measurement is uncertain.
 */
import { Clock, Effect } from "effect"

/** Clocks of two machines drift apart by at most so many milliseconds a millisecond: 200 ppm. */
const drift = 0.0002
/** A correction back by more than so many milliseconds is made at once; a smaller one waits until time has caught up. */
const maxHeldMillis = 1000

interface Measurement {
  /** The database's time minus `performance.now()`. */
  readonly offset: number
  /** Half of the round trip: by so many milliseconds the offset can be wrong. */
  readonly uncertainty: number
  /** By `performance.now()`. */
  readonly at: number
}

/** A `Clock` of the database's time. Before its first measurement it shows the machine's time. */
export class DatabaseClock implements Clock.Clock {
  readonly [Clock.ClockTypeId]: Clock.ClockTypeId = Clock.ClockTypeId
  private readonly own = Clock.make()
  private best: Measurement | null = null
  private last = Number.NEGATIVE_INFINITY

  /** Takes a measurement: the database's time, in milliseconds, asked and answered at these times of `performance.now()`. */
  measured(databaseMillis: number, requestedAt: number, answeredAt: number): void {
    const uncertainty = (answeredAt - requestedAt) / 2
    const known = this.best
    const isBetter = known === null || uncertainty <= known.uncertainty + drift * (answeredAt - known.at)
    // A known offset that this measurement rules out is wrong: the database's clock was set, or another server has taken over.
    const offset = databaseMillis - (requestedAt + uncertainty)
    const isRefuted =
      known !== null &&
      Math.abs(offset - known.offset) > uncertainty + known.uncertainty + drift * (answeredAt - known.at) + 1
    if (isBetter || isRefuted) this.best = { offset, uncertainty, at: answeredAt }
  }

  /** By how many milliseconds the database's clock is ahead of this machine's; null before the first measurement. */
  get offsetMillis(): number | null {
    return this.best === null ? null : this.best.offset + performance.now() - Date.now()
  }

  /** The database's time, in milliseconds since 1970. */
  readonly currentTimeMillis = Effect.sync(() => this.unsafeCurrentTimeMillis())
  /** As `unsafeCurrentTimeNanos` gives it. */
  readonly currentTimeNanos = this.own.currentTimeNanos
  /** Sleeps by the machine's timers. */
  readonly sleep = this.own.sleep

  /** The database's time, in milliseconds since 1970; never less than before, but for a correction of more than a second. */
  unsafeCurrentTimeMillis(): number {
    if (this.best === null) return this.own.unsafeCurrentTimeMillis()
    const millis = Math.floor(performance.now() + this.best.offset)
    if (millis >= this.last || this.last - millis > maxHeldMillis) this.last = millis
    return this.last
  }

  /** The machine's clock that nobody sets, in nanoseconds: durations are measured by it, and the database's time can be corrected meanwhile. */
  unsafeCurrentTimeNanos(): bigint {
    return this.own.unsafeCurrentTimeNanos()
  }
}
