/** The clock of a simulated host: it can be off, and go wrong. It outlives the processes that read it. */
export class HostClock {
  private offsetMillis = 0
  private rate = 0
  private since = 0

  /** What it shows at this true time, both in whole milliseconds since 1970. */
  read(now: number): number {
    return Math.floor(now + this.offsetMillis + (now - this.since) * this.rate)
  }

  /** Jumps by so much. */
  step(millis: number): void {
    this.offsetMillis += millis
  }

  /** From now on it gains so much per millisecond; a negative rate loses. */
  drift(rate: number, now: number): void {
    this.offsetMillis = this.read(now) - now
    this.rate = rate
    this.since = now
  }
}
