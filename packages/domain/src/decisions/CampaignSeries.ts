/** A campaign's figures over time, from what each day's readings added to them. [SERIES-3] */
import type { MetricSnapshot, PostTotals } from "../model/Campaign.ts"
import * as MetricSnapshots from "./MetricSnapshots.ts"

/** By how much the readings of one day changed the sums over all posts. A corrected total can make a figure negative. */
export interface DayChange extends PostTotals {
  /** `YYYY-MM-DD`. */
  readonly day: string
}

const none: PostTotals = { impressions: 0, reactions: 0, comments: 0, reposts: 0 }

const plus = (a: PostTotals, b: PostTotals): PostTotals => ({
  impressions: a.impressions + b.impressions,
  reactions: a.reactions + b.reactions,
  comments: a.comments + b.comments,
  reposts: a.reposts + b.reposts
})

/**
 * The snapshot as of each day: the sum of all changes up to and including it; null before the first change. `days` and `changes` both ascend.
 * [SERIES-3, MET-4, MET-7]
 */
export const snapshots = (
  days: ReadonlyArray<string>,
  changes: ReadonlyArray<DayChange>
): ReadonlyArray<MetricSnapshot | null> => {
  let sum: PostTotals | null = null
  let next = 0
  return days.map((day) => {
    for (; next < changes.length && changes[next]!.day <= day; next++) sum = plus(sum ?? none, changes[next]!)
    return sum === null ? null : MetricSnapshots.sum(day, [sum])
  })
}
