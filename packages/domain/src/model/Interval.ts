/** Intervals of time in which figures are counted. They lie in UTC; a week begins on a Monday. [SERIES-1] */
import type { Instant } from "./Instant.ts"

/** The lengths of intervals. */
export const intervals = ["hour", "day", "week"] as const
/** One of `intervals`. */
export type Interval = (typeof intervals)[number]

const millisPerHour = 3_600_000
const millisPerDay = 24 * millisPerHour

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
  /** When the first one begins. */
  readonly start: Instant
  /** How many there are, at least 0. */
  readonly count: number
}

/** The epoch was a Thursday; four days later was a Monday. */
const mondayOffset = 4 * millisPerDay

/** When the interval begins that has the instant. */
export const startOf = (interval: Interval, instant: Instant): Instant => {
  const millis = intervalMillis[interval]
  const offset = interval === "week" ? mondayOffset : 0
  return Math.floor((instant - offset) / millis) * millis + offset
}

/** When each interval of the span begins, ascending. */
export const startsOf = ({ count, interval, start }: IntervalSpan): ReadonlyArray<Instant> =>
  Array.from({ length: count }, (_, i) => start + i * intervalMillis[interval])
