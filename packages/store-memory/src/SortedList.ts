/**
 * A sorted list in chunks: insertion, removal and access by index cost about the square root of the length.
 * The order must be total: items that compare equal are the same item.
 */
const chunkLength = 512

/**
 * The first index below `length` at which the monotonic test holds, by binary search; `length` if there is
 * none.
 */
const firstIndex = (length: number, holds: (index: number) => boolean): number => {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** A list in the order of `compare`: finding, inserting and removing take O(√n). */
export class SortedList<A> {
  private readonly chunks: Array<Array<A>> = []

  constructor(private readonly compare: (a: A, b: A) => number) {}

  insert(item: A): void {
    const chunk = this.chunks[this.chunkOf(item)]
    if (chunk === undefined) {
      const last = this.chunks.at(-1)
      if (last === undefined) this.chunks.push([item])
      else this.place(this.chunks.length - 1, last, last.length, item)
      return
    }
    this.place(this.chunkOf(item), chunk, this.positionIn(chunk, item), item)
  }

  remove(item: A): void {
    const at = this.chunkOf(item)
    const chunk = this.chunks[at]
    if (chunk === undefined) return
    const position = this.positionIn(chunk, item)
    if (chunk[position] !== item) return
    chunk.splice(position, 1)
    if (chunk.length === 0) this.chunks.splice(at, 1)
  }

  /** Yields the items from index `n` on. The list must not change meanwhile. */
  *from(n: number): Generator<A> {
    let rest = n
    for (const chunk of this.chunks) {
      if (rest >= chunk.length) {
        rest -= chunk.length
        continue
      }
      for (let i = rest; i < chunk.length; i++) yield chunk[i]!
      rest = 0
    }
  }

  /**
   * The first item for which the test holds. The test must be monotonic: once true, true for all later items.
   */
  firstWhere(holds: (item: A) => boolean): A | undefined {
    const chunk = this.chunks[firstIndex(this.chunks.length, (i) => holds(this.chunks[i]!.at(-1)!))]
    return chunk?.[firstIndex(chunk.length, (i) => holds(chunk[i]!))]
  }

  private place(at: number, chunk: Array<A>, position: number, item: A): void {
    chunk.splice(position, 0, item)
    if (chunk.length > chunkLength) this.chunks.splice(at + 1, 0, chunk.splice(chunkLength / 2))
  }

  /** The index of the first chunk whose last item is not before the item. */
  private chunkOf(item: A): number {
    return firstIndex(this.chunks.length, (i) => this.compare(this.chunks[i]!.at(-1)!, item) >= 0)
  }

  private positionIn(chunk: Array<A>, item: A): number {
    return firstIndex(chunk.length, (i) => this.compare(chunk[i]!, item) >= 0)
  }
}
