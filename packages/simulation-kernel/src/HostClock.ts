/** The clock of a simulated host: it can be off, and go wrong. It outlives the processes that read it. */
export class HostClock {
  private offsetMillis = 0
  private rate = 0
  private since = 0
  private steppedMillis = 0

  /** The time that the clock shows at the true time `now`, both in whole milliseconds since 1970. */
  read(now: number): number {
    return Math.floor(now + this.offsetMillis + (now - this.since) * this.rate)
  }

  /** Milliseconds since an arbitrary instant, as a monotonic clock of the host counts them: no step moves it, while a drift does. */
  readMonotonic(now: number): number {
    return this.read(now) - this.steppedMillis
  }

  /** Moves the clock by `millis` whole milliseconds; a negative number sets it back. */
  step(millis: number): void {
    this.offsetMillis += millis
    this.steppedMillis += millis
  }

  /** Lets the clock gain `rate` milliseconds a millisecond from the true time `now` on; a negative rate loses. */
  drift(rate: number, now: number): void {
    this.offsetMillis = this.read(now) - now
    this.rate = rate
    this.since = now
  }
}
