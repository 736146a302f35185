/** What a cache may hold. */
export interface VersionedCacheOptions<A> {
  /** Bounds the sizes of all entries together; an entry that is larger by itself is not kept. */
  readonly maxSize: number
  /** 1 unless given. */
  readonly sizeOf?: (value: A) => number
  /** What the entry of an older version is in a later one; undefined where that is not known. */
  readonly advance?: (value: A, from: number, to: number) => A | undefined
}

interface Entry<A> {
  readonly value: A
  readonly version: number
}

/**
 * Values read from the file, each valid for one version of the file.
 *
 * Invalidation: a reader calls `at` with the version that it sees before it uses the entries, and entries of any other
 * version are dropped. A cache with `advance` keeps them, and advances an entry when it is read. `clear` drops all at once,
 * whatever their version: an erasure calls it, so that no text of the person stays in memory until the next read. When an
 * entry would exceed `maxSize`, all others are dropped first.
 */
export class VersionedCache<A> {
  private readonly maxSize: number
  private readonly sizeOf: (value: A) => number
  private readonly advance: VersionedCacheOptions<A>["advance"]
  private version = -1
  /** Changes whenever all entries are dropped. */
  private generation = 0
  private entries = new Map<string, Entry<A>>()
  private size = 0

  constructor({ advance, maxSize, sizeOf = () => 1 }: VersionedCacheOptions<A>) {
    this.maxSize = maxSize
    this.sizeOf = sizeOf
    this.advance = advance
  }

  at(version: number): void {
    if (version === this.version) return
    this.version = version
    if (this.advance === undefined) this.clear()
  }

  get(key: string): A | undefined {
    const entry = this.entries.get(key)
    // Another reader may have seen a later version.
    if (entry === undefined || entry.version > this.version) return undefined
    if (entry.version === this.version) return entry.value
    const advanced = this.advance?.(entry.value, entry.version, this.version)
    if (advanced === undefined) this.remove(key)
    else this.set(key, advanced)
    return advanced
  }

  /** `version` is the present one unless given. */
  set(key: string, value: A, version = this.version): void {
    this.remove(key)
    const size = this.sizeOf(value)
    if (size > this.maxSize) return
    if (this.size + size > this.maxSize) this.clear()
    this.entries.set(key, { value, version })
    this.size += size
  }

  clear(): void {
    this.generation++
    this.entries.clear()
    this.size = 0
  }

  /** Sets entries that are read from now on in another thread, as long as no version follows this one. */
  captureVersion(): (key: string, value: A) => void {
    const { generation } = this
    return (key, value) => {
      if (generation === this.generation) this.set(key, value)
    }
  }

  private remove(key: string): void {
    const entry = this.entries.get(key)
    if (entry === undefined) return
    this.entries.delete(key)
    this.size -= this.sizeOf(entry.value)
  }
}
