/** A binary heap: the least item first, by a total order. */
export class Heap<A> {
  private readonly items: Array<A> = []

  constructor(private readonly isBefore: (a: A, b: A) => boolean) {}

  get size(): number {
    return this.items.length
  }

  peek(): A | undefined {
    return this.items[0]
  }

  push(item: A): void {
    let at = this.items.push(item) - 1
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (!this.isBefore(item, this.items[parent]!)) break
      this.items[at] = this.items[parent]!
      at = parent
    }
    this.items[at] = item
  }

  pop(): A | undefined {
    const first = this.items[0]
    const last = this.items.pop()
    if (last === undefined || this.items.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= this.items.length) break
      const right = child + 1
      if (right < this.items.length && this.isBefore(this.items[right]!, this.items[child]!)) child = right
      if (!this.isBefore(this.items[child]!, last)) break
      this.items[at] = this.items[child]!
      at = child
    }
    this.items[at] = last
    return first
  }
}
