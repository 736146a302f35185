/** Counts instants in intervals, by group. */
import type { CountSeries } from "@lead-signals/domain"

/** Counts by group and by interval. */
export class IntervalTally<Group extends string | null> {
  private readonly byGroup = new Map<Group, Map<number, number>>()

  constructor(private readonly intervals: CountSeries.CountedIntervals) {}

  /** Counts the instant, unless it lies in none of the intervals. */
  add(instant: number, group: Group): void {
    const { count, millis, start } = this.intervals
    const index = Math.floor((instant - start) / millis)
    if (index < 0 || index >= count) return
    const counts = this.byGroup.get(group) ?? new Map<number, number>()
    this.byGroup.set(group, counts.set(index, (counts.get(index) ?? 0) + 1))
  }

  get counts(): ReadonlyArray<CountSeries.IntervalCount<Group>> {
    return [...this.byGroup].flatMap(([group, counts]) =>
      [...counts].map(([index, n]) => ({ index, group, n }))
    )
  }
}
