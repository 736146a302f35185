/** Intervals of time in which figures are counted. They lie in UTC; a week begins on a Monday. [SERIES-1] */
import { millisPerDay, millisPerHour } from "./Duration.ts"
import type { Instant } from "./Instant.ts"

/** The intervals in which figures can be counted, by their length. */
export const intervals = ["hour", "day", "week"] as const
/** One of `intervals`. */
export type Interval = (typeof intervals)[number]

/** How long each interval is, in milliseconds. */
export const intervalMillis: Readonly<Record<Interval, number>> = {
  hour: millisPerHour,
  day: millisPerDay,
  week: 7 * millisPerDay
}

/** Consecutive intervals of one length. */
export interface IntervalSpan {
  /** The length of each. */
  readonly interval: Interval
  /** The first instant of the first interval. */
  readonly start: Instant
  /** How many there are, at least 0. */
  readonly count: number
}

/** 1970-01-01 was a Thursday, so the first Monday came four days later. */
const mondayOffset = 4 * millisPerDay

/** The first instant of the interval that contains `instant`. */
export const startOf = (interval: Interval, instant: Instant): Instant => {
  const millis = intervalMillis[interval]
  const offset = interval === "week" ? mondayOffset : 0
  return Math.floor((instant - offset) / millis) * millis + offset
}

/** The first instant of each interval of the span, ascending; empty where `count` is 0. */
export const startsOf = ({ count, interval, start }: IntervalSpan): ReadonlyArray<Instant> =>
  Array.from({ length: count }, (_, i) => start + i * intervalMillis[interval])
