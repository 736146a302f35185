/** When the service was disturbed: what explains that something came late, or not at all. */

/**
 * `kill`: the process ended. `pause`: it stood still. `clock`: its clock was set. `drift`: its clock began to run at another
 * rate. `store`: a call that the emitter made of the store was slow or failed. `feed`: one for a request for changes was. `network`: nobody reached it, or it reached nobody.
 */
type Disturbance = "kill" | "pause" | "clock" | "drift" | "store" | "feed" | "network"

interface Interval {
  readonly from: number
  readonly to: number
  /** The process that was disturbed; null where all were. */
  readonly process: number | null
}

/** The intervals in which something disturbed the service, in virtual milliseconds since 1970. */
export class Incidents {
  private readonly intervals = new Map<Disturbance, Array<Interval>>()
  private longest = 0

  /** Notes a disturbance that begins at `from`, which is never before that of an earlier note; of all processes, unless one is given. */
  note(disturbance: Disturbance, from: number, to = from, process: number | null = null): void {
    this.longest = Math.max(this.longest, to - from)
    const known = this.intervals.get(disturbance)
    const interval = { from, to, process }
    if (known === undefined) this.intervals.set(disturbance, [interval])
    else known.push(interval)
  }

  /** Whether one of the disturbances touched the interval, both ends included: that of the process, or of any where none is given. */
  touched(disturbances: ReadonlyArray<Disturbance>, from: number, to: number, process?: number): boolean {
    return disturbances.some((disturbance) => this.within(disturbance, from, to, process).length > 0)
  }

  /** Whether such a disturbance of the process began at that instant. */
  began(disturbance: Disturbance, at: number, process: number): boolean {
    return this.within(disturbance, at, at, process).some(({ from }) => from === at)
  }

  /** How long the longest of the process's disturbances lasted that touched the interval; 0 when none did. */
  longestWithin(disturbance: Disturbance, from: number, to: number, process: number): number {
    return this.within(disturbance, from, to, process).reduce(
      (max, each) => Math.max(max, each.to - each.from),
      0
    )
  }

  /** For how many milliseconds of the interval the process was disturbed, or any where none is given; where two disturbances overlap, they count once. */
  lastedWithin(disturbance: Disturbance, from: number, to: number, process?: number): number {
    let millis = 0
    let until = from
    for (const each of this.within(disturbance, from, to, process).toReversed()) {
      const end = Math.min(each.to, to)
      if (end <= until) continue
      millis += end - Math.max(each.from, until)
      until = end
    }
    return millis
  }

  /** The earliest instant by which the process has had `millis` milliseconds without the disturbance since `from`. */
  undisturbedAfter(disturbance: Disturbance, from: number, millis: number, process: number): number {
    for (let to = from + millis; ;) {
      const next = from + millis + this.lastedWithin(disturbance, from, to, process)
      if (next === to) return to
      to = next
    }
  }

  /** The latest instant since which the process has had `millis` milliseconds without the disturbance until `to`. */
  undisturbedBefore(disturbance: Disturbance, to: number, millis: number, process: number): number {
    for (let from = to - millis; ;) {
      const next = to - millis - this.lastedWithin(disturbance, from, to, process)
      if (next === from) return from
      from = next
    }
  }

  /** How often the disturbance began in the interval, both ends included. */
  count(disturbance: Disturbance, from: number, to: number): number {
    let count = 0
    const known = this.intervals.get(disturbance) ?? []
    for (let i = known.length - 1; i >= 0 && known[i]!.from >= from; i--) if (known[i]!.from <= to) count++
    return count
  }

  private within(
    disturbance: Disturbance,
    from: number,
    to: number,
    process?: number
  ): ReadonlyArray<Interval> {
    const found: Array<Interval> = []
    const known = this.intervals.get(disturbance) ?? []
    for (let i = known.length - 1; i >= 0 && known[i]!.from >= from - this.longest; i--)
      if (known[i]!.from <= to && known[i]!.to >= from) found.push(known[i]!)
    return process === undefined
      ? found
      : found.filter((each) => each.process === null || each.process === process)
  }
}
