/** A response that has waited longer is written before other work begins. */
const defaultMaxWaitMillis = 2

/**
 * Writes the responses that become ready in one iteration of the event loop together at its end. Each write wakes the reader:
 * for a proxy or a client on the same machine, one wake-up for many responses takes much less of this process's time than one
 * for each.
 */
export class ResponseBatcher {
  private pending: Array<() => void> = []
  private pendingSince = 0

  constructor(private readonly maxWaitMillis = defaultMaxWaitMillis) {}

  /** Writes the batch if it has waited for too long; to be called before work begins that would delay it. */
  flushOverdue(): void {
    if (this.pending.length > 0 && performance.now() - this.pendingSince > this.maxWaitMillis) this.flush()
  }

  /** `write` must not throw: others come after it. */
  add(write: () => void): void {
    if (this.pending.length === 0) {
      this.pendingSince = performance.now()
      setImmediate(() => this.flush())
    }
    this.pending.push(write)
    this.flushOverdue()
  }

  private flush(): void {
    const batch = this.pending
    this.pending = []
    for (const write of batch) write()
  }
}
