/** What a client knows of its key's rate window. All times are elapsed milliseconds, by a clock that nobody sets. */

/** A rate window lasts one minute; the bound protects against a wrong clock. */
const maxWindowMillis = 61_000

/** A whole number in decimal digits, such as a header has it; null for any other text and for none. */
export const wholeNumber = (text: string | undefined): number | null =>
  text !== undefined && /^[0-9]{1,12}$/.test(text) ? Number(text) : null

/** The key's rate window as the last response described it. */
export class KeyWindow {
  private remaining = Number.POSITIVE_INFINITY
  private endsAt = Number.NEGATIVE_INFINITY

  /** Reads the headers of a response. `now` is an instant, as the window's reset is one; `elapsed` is the same moment. */
  update(headers: Readonly<Record<string, string | undefined>>, now: number, elapsed: number): void {
    const remaining = wholeNumber(headers["x-ratelimit-remaining"])
    const reset = wholeNumber(headers["x-ratelimit-reset"])
    if (remaining === null || reset === null) return
    this.remaining = remaining
    this.endsAt = elapsed + Math.min(reset * 1000 - now, maxWindowMillis)
  }

  /** Takes the end of the window from a Retry-After, which is relative and so is right even when this clock is wrong. */
  endIn(millis: number, elapsed: number): void {
    this.endsAt = elapsed + Math.min(millis, maxWindowMillis)
  }

  /** Milliseconds until the key may send a request. It counts the request when that is 0. */
  take(elapsed: number): number {
    if (this.remaining > 0 || elapsed >= this.endsAt) {
      this.remaining--
      return 0
    }
    return this.endsAt - elapsed
  }
}
