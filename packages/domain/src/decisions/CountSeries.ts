/** How often something happened in each interval of a span. [SERIES-5, SERIES-6] */
import type { EngagementType } from "../model/Observation.ts"
import type { DeliveryState } from "../model/Delivery.ts"
import type { Instant } from "../model/Instant.ts"
import { type IntervalSpan, intervalMillis } from "../model/Interval.ts"

/** The intervals in which a store counts: all of one length, a multiple of an hour, from a full hour on. */
export interface CountedIntervals {
  /** When the first one begins. */
  readonly start: Instant
  /** The length of each, in milliseconds. */
  readonly millis: number
  /** How many there are. */
  readonly count: number
}

/** Leads count at their `createdAt`, engagements at their `trackedAt`. A lead that several signals caught counts with each of them. */
export type Counted =
  | /** Leads, in all or by the signals that caught them. */ {
      readonly of: "leads"
      readonly by: "none" | "signal"
    }
  | /** Engagements, in all, or by the signal that caught them, or by their type. */ {
      readonly of: "engagements"
      readonly by: "none" | "signal" | "type"
    }

/** One count; an interval and group without anything to count has none. */
export interface IntervalCount<Group extends string | null = string | null> {
  /** The number of the interval, from 0. */
  readonly index: number
  /** The id of the signal, the type of the engagement, or the state of the delivery; null for all, or for engagements without a type. */
  readonly group: Group
  /** At least 1. */
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
  /** At most `maxGroups`, those with the most first; just one when the series has no groups. */
  readonly groups: ReadonlyArray<GroupCounts>
  /** The sums over all further groups; null when there are none. */
  readonly rest: ReadonlyArray<number> | null
}

/** Groups of one series, at most. */
export const maxGroups = 20

/** The states that deliveries end in. */
export const finishedStates = ["delivered", "dead"] as const satisfies ReadonlyArray<DeliveryState>
/** One of `finishedStates`. */
export type FinishedState = (typeof finishedStates)[number]

/** The intervals of the span, as a store takes them. */
export const intervalsOf = ({ count, interval, start }: IntervalSpan): CountedIntervals => ({
  start,
  millis: intervalMillis[interval],
  count
})

const sumOf = (counts: ReadonlyArray<number>): number => counts.reduce((sum, n) => sum + n, 0)

/** The counts of each group, with 0 where nothing happened. Groups in `always` are there also when nothing happened at all. */
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

/** The groups with the most first, ties in the order of their names; those beyond `maxGroups` together. [SERIES-5] */
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
