/** How often something happened in each interval of a span. [SERIES-5, SERIES-6] */
import type { EngagementType } from "../model/Observation.ts"
import type { DeliveryState } from "../model/Delivery.ts"
import type { Instant } from "../model/Instant.ts"
import { type IntervalSpan, intervalMillis } from "../model/Interval.ts"

/** The intervals in which a store counts. All have one length, a multiple of an hour, and the first begins on a full hour. */
export interface CountedIntervals {
  /** The first instant of the first interval. */
  readonly start: Instant
  /** The length of each, in milliseconds. */
  readonly millis: number
  /** How many there are. */
  readonly count: number
}

/**
 * What is counted, and by which groups. Leads count at their `createdAt`, engagements at their `trackedAt`. A lead that several signals caught
 * counts for each of them.
 */
export type Counted =
  | /** Leads, all together or by the signals that caught them. */ {
      readonly of: "leads"
      readonly by: "none" | "signal"
    }
  | /** Engagements, all together, by the signal that caught them, or by their type. */ {
      readonly of: "engagements"
      readonly by: "none" | "signal" | "type"
    }

/** The count of one group in one interval. A group that has nothing in an interval has no count there. */
export interface IntervalCount<Group extends string | null = string | null> {
  /** The index of the interval, from 0. */
  readonly index: number
  /** A signal's id, an engagement's type, or a delivery's state; null without groups, and for engagements without a type. */
  readonly group: Group
  /** The count, at least 1. */
  readonly n: number
}

/** The counts of one group, one for each interval. */
export interface GroupCounts {
  /** As in `IntervalCount`. */
  readonly group: string | null
  /** One count for each interval of the span. */
  readonly counts: ReadonlyArray<number>
}

/** A series by group. */
export interface CountSeries {
  /** At most `maxGroups`, the largest first; exactly one when the series is not grouped. */
  readonly groups: ReadonlyArray<GroupCounts>
  /** The sums over all further groups; null when there are none. */
  readonly rest: ReadonlyArray<number> | null
}

/** The maximum number of groups of one series. */
export const maxGroups = 20

/** The states in which deliveries end. */
export const finishedStates = ["delivered", "dead"] as const satisfies ReadonlyArray<DeliveryState>
/** One of `finishedStates`. */
export type FinishedState = (typeof finishedStates)[number]

/** Converts the span into the form that a store takes. */
export const intervalsOf = ({ count, interval, start }: IntervalSpan): CountedIntervals => ({
  start,
  millis: intervalMillis[interval],
  count
})

const sumOf = (counts: ReadonlyArray<number>): number => counts.reduce((sum, n) => sum + n, 0)

/** The counts of each group in all `count` intervals, 0 where nothing happened. A group of `always` is there even if it has no count. */
export const byGroup = (
  count: number,
  found: ReadonlyArray<IntervalCount>,
  always: ReadonlyArray<EngagementType | FinishedState | null> = []
): ReadonlyArray<GroupCounts> => {
  const groups = new Map<string | null, Array<number>>()
  const of = (group: string | null): Array<number> => {
    const counts = groups.get(group) ?? Array.from({ length: count }, () => 0)
    groups.set(group, counts)
    return counts
  }
  for (const group of always) of(group)
  for (const { group, index, n } of found) of(group)[index]! += n
  return [...groups].map(([group, counts]) => ({ group, counts }))
}

/** Orders the groups, the largest sum first and ties by name, and sums up those beyond `limit` in `rest`. [SERIES-5] */
export const largest = (groups: ReadonlyArray<GroupCounts>, limit = maxGroups): CountSeries => {
  const ordered = [...groups].sort(
    (a, b) => sumOf(b.counts) - sumOf(a.counts) || ((a.group ?? "") < (b.group ?? "") ? -1 : 1)
  )
  const others = ordered.slice(limit)
  return {
    groups: ordered.slice(0, limit),
    rest:
      others.length === 0
        ? null
        : others[0]!.counts.map((_, i) => others.reduce((sum, { counts }) => sum + counts[i]!, 0))
  }
}
