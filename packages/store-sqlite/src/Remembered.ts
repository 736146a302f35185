/** What took some finding, for as long as nothing is written: clients ask for the same again and again. */

export interface Kept<A> {
  readonly get: (key: string) => A | undefined
  readonly set: (key: string, value: A) => void
}

export class Remembered<A> implements Kept<A> {
  private version: number | null = null
  private kept = new Map<string, A>()
  private size = 0

  /**
   * All are forgotten before they are of more than this size together: each of 1 unless `sizeOf` says of which. What is
   * larger by itself is not kept.
   */
  constructor(
    private readonly greatestSize: number,
    private readonly sizeOf: (value: A) => number = () => 1
  ) {}

  /** Of whatever version. */
  forget(): void {
    this.kept = new Map()
    this.size = 0
  }

  /** Forgets all that was found of another version of the file. */
  forgetUnless(version: number): void {
    if (version === this.version) return
    this.version = version
    this.forget()
  }

  get(key: string): A | undefined {
    return this.kept.get(key)
  }

  set(key: string, value: A): void {
    const before = this.kept.get(key)
    if (this.kept.delete(key)) this.size -= this.sizeOf(before!)
    const size = this.sizeOf(value)
    if (size > this.greatestSize) return
    if (this.size + size > this.greatestSize) this.forget()
    this.kept.set(key, value)
    this.size += size
  }

  /** For a reader that may see a later version: it is told nothing, and what it finds is forgotten with this version. */
  ofNow(): Kept<A> {
    const { kept } = this
    return {
      get: () => undefined,
      set: (key, value) => {
        if (kept === this.kept) this.set(key, value)
      }
    }
  }
}
