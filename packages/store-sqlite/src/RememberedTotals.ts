/**
 * Totals that took some counting, for as long as nothing is written: pages of one list ask for the same one again and again.
 */

/** Of so many lists; then all are forgotten. */
const greatestNumber = 2000

export interface Totals {
  readonly get: (key: string) => number | undefined
  readonly set: (key: string, total: number) => void
}

export class RememberedTotals implements Totals {
  private version: number | null = null
  private kept = new Map<string, number>()

  /** Forgets all that was counted of another version of the file. */
  forgetUnless(version: number): void {
    if (version === this.version) return
    this.version = version
    this.kept = new Map()
  }

  get(key: string): number | undefined {
    return this.kept.get(key)
  }

  set(key: string, total: number): void {
    if (this.kept.size >= greatestNumber) this.kept.clear()
    this.kept.set(key, total)
  }

  /** For a reader that may see a later version: it is told nothing, and what it counts is forgotten with this version. */
  ofNow(): Totals {
    const { kept } = this
    return { get: () => undefined, set: (key, total) => void kept.set(key, total) }
  }
}
