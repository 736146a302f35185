/**
 * What took some counting, for as long as nothing is written: pages of one list ask for the same again and again.
 */

export interface Kept<A> {
  readonly get: (key: string) => A | undefined
  readonly set: (key: string, value: A) => void
}

export class Remembered<A> implements Kept<A> {
  private version: number | null = null
  private kept = new Map<string, A>()

  /** So many at most; then all are forgotten. */
  constructor(private readonly greatestNumber: number) {}

  /** Forgets all that was counted of another version of the file. */
  forgetUnless(version: number): void {
    if (version === this.version) return
    this.version = version
    this.kept = new Map()
  }

  get(key: string): A | undefined {
    return this.kept.get(key)
  }

  set(key: string, value: A): void {
    if (this.kept.size >= this.greatestNumber) this.kept.clear()
    this.kept.set(key, value)
  }

  /** For a reader that may see a later version: it is told nothing, and what it counts is forgotten with this version. */
  ofNow(): Kept<A> {
    const { greatestNumber, kept } = this
    return {
      get: () => undefined,
      set: (key, value) => {
        if (kept.size < greatestNumber) kept.set(key, value)
      }
    }
  }
}
