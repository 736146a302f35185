/** Totals that took a count, kept in this process for as long as the brand's version is the same. */

interface Total {
  readonly version: number
  readonly n: number
  /** How many leads the search alone finds, where that was counted. */
  readonly searched: number | null
}

/** Totals of lists for as long as nothing of the brand has changed. */
export class TotalCache {
  private readonly totals = new Map<string, Total>()
  private readonly maxSize: number

  constructor(maxSize: number) {
    this.maxSize = maxSize
  }

  /** The total of the brand's state that has the version; null when none is kept. */
  get(key: string, version: number): Omit<Total, "version"> | null {
    const total = this.totals.get(key)
    if (total === undefined || total.version > version) return null
    this.totals.delete(key)
    if (total.version < version) return null
    this.totals.set(key, total)
    return total
  }

  set(key: string, total: Total): void {
    const kept = this.totals.get(key)
    if (kept !== undefined && kept.version > total.version) return
    this.totals.delete(key)
    this.totals.set(key, total)
    if (this.totals.size > this.maxSize) this.totals.delete(this.totals.keys().next().value!)
  }
}
