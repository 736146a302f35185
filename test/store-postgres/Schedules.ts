/** Every order of the statements of several transactions, one after the other. */

interface Choice {
  chosen: number
  options: number
}

/**
 * Walks the tree of choices depth first: each run takes the choices of the run before up to the last that has another option. A preemption
 * is a choice of another transaction while the one that ran last could go on; a bound of them keeps the number of orders small.
 */
export class Schedules<Node> {
  private readonly path: Array<Choice> = []
  private depth = 0
  private preemptions = 0
  private last: Node | null = null

  constructor(private readonly maxPreemptions: number) {}

  /** The transaction whose statement is next, of those that can go on, in a fixed order. */
  choose(ready: ReadonlyArray<Node>): Node {
    const last = this.last !== null && ready.includes(this.last) ? this.last : null
    const others = ready.filter((each) => each !== last)
    const candidates = last === null ? others : [last, ...others]
    const isBound = last !== null && this.preemptions >= this.maxPreemptions
    const at = this.depth++
    this.path[at] ??= { chosen: 0, options: 0 }
    const choice = this.path[at]!
    choice.options = isBound ? 1 : candidates.length
    const node = candidates[Math.min(choice.chosen, choice.options - 1)]!
    if (last !== null && node !== last) this.preemptions++
    this.last = node
    return node
  }

  /** Begins the next order; false when there is none. */
  next(): boolean {
    this.path.length = Math.min(this.path.length, this.depth)
    while (this.path.length > 0) {
      const choice = this.path.at(-1)!
      if (choice.chosen + 1 < choice.options) {
        choice.chosen++
        this.depth = 0
        this.preemptions = 0
        this.last = null
        return true
      }
      this.path.pop()
    }
    return false
  }

  /** The choices of the last run, as numbers. */
  rendered(): string {
    return this.path.map(({ chosen }) => chosen).join("")
  }
}
