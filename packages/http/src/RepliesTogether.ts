/**
 * Answers that are ready in one turn of the event loop, written together at its end. Each write wakes whoever reads: where
 * that is a proxy or a client on the same machine, waking it once for many answers takes much less of this process's time
 * than waking it for each.
 */

/** An answer that has waited longer is written before anything else is begun. */
const defaultGreatestWaitMillis = 2

export class RepliesTogether {
  private waiting: Array<() => void> = []
  private since = 0

  constructor(private readonly greatestWaitMillis = defaultGreatestWaitMillis) {}

  /** Writes what has waited for long enough; to be called before work is begun that it would wait for. */
  writeOverdue(): void {
    if (this.waiting.length > 0 && performance.now() - this.since > this.greatestWaitMillis) this.writeAll()
  }

  /** `write` must not throw: others come after it. */
  add(write: () => void): void {
    if (this.waiting.length === 0) {
      this.since = performance.now()
      setImmediate(() => this.writeAll())
    }
    this.waiting.push(write)
    this.writeOverdue()
  }

  private writeAll(): void {
    const all = this.waiting
    this.waiting = []
    for (const write of all) write()
  }
}
