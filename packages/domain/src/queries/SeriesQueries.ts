/** Reads the intervals of a series from query parameters. Intervals are of UTC; a week begins on a Monday. [SERIES-1, SERIES-2] */
import { Either } from "effect"
import * as Calendar from "../model/Calendar.ts"
import { millisPerDay } from "../model/Duration.ts"
import type { InvalidParameter } from "../model/Failure.ts"
import { type Instant, isShowable } from "../model/Instant.ts"
import * as Intervals from "../model/Interval.ts"
import * as Parameters from "./Parameters.ts"

/** The maximum number of intervals of one series. */
export const maxIntervals = 400

/** The length of a series without `startDate`: two days of hours, 30 days, or 26 weeks. */
const defaults: Readonly<Record<Intervals.Interval, readonly [unit: "day" | "week", count: number]>> = {
  hour: ["day", 2],
  day: ["day", 30],
  week: ["week", 26]
}

/** The intervals of a request, from 0 to `maxIntervals`. */
export interface RequestedSpan extends Intervals.IntervalSpan {
  /** The last day that the request names, `YYYY-MM-DD`; the last interval can end after it. */
  readonly endDate: string
}

/** A request for a series, read and checked. */
export interface SeriesQuery {
  /** The intervals that have a figure. */
  readonly span: RequestedSpan
  /** The parameters that were ignored. [LIST-10] */
  readonly ignored: Parameters.IgnoredParameters
}

/** The names of the parameters that `read` takes. */
export const parameters = ["interval", "startDate", "endDate"] as const

/** The UTC day of an instant, `YYYY-MM-DD`. */
const dayText = (instant: Instant): string => new Date(instant).toISOString().slice(0, "2026-01-05".length)

const startOfDate = (date: string): Instant => {
  const [year, month, day] = date.split("-").map(Number) as [number, number, number]
  return Calendar.startOfDay(year, month, day)
}

/**
 * Reads `interval`, one of `allowed` and by default a day, and the days from `startDate` to `endDate`, both inclusive and by default the
 * last ones up to today. Intervals that begin after `now` are left out. Left: a value that is malformed, a `startDate` after `endDate`, a
 * first interval that begins before the year 0000, or more than 400 intervals. [SERIES-1, SERIES-2]
 */
export const readSpan = (
  known: Parameters.KnownParameters,
  allowed: ReadonlyArray<Intervals.Interval>,
  now: Instant
): Either.Either<RequestedSpan, InvalidParameter> =>
  Either.gen(function* () {
    const given = known.values.get("interval") ?? "day"
    const interval = allowed.find((each) => each === given)
    if (interval === undefined) {
      return yield* Either.left(Parameters.invalid("interval", `takes one of ${allowed.join(", ")}`))
    }
    const endDate = (yield* Parameters.date(known, "endDate")) ?? dayText(now)
    const end = startOfDate(endDate)
    const first = yield* Parameters.date(known, "startDate")
    const [unit, units] = defaults[interval]
    const from =
      first === undefined
        ? Intervals.startOf(unit, end) - (units - 1) * Intervals.intervalMillis[unit]
        : startOfDate(first)
    if (from > end) {
      return yield* Either.left(Parameters.invalid("startDate", "takes a date that is not after endDate"))
    }
    const millis = Intervals.intervalMillis[interval]
    const start = Intervals.startOf(interval, from)
    if (!isShowable(start)) {
      return yield* Either.left(
        Parameters.invalid(
          first === undefined ? "endDate" : "startDate",
          "takes a date whose intervals all begin in the years 0000 to 9999"
        )
      )
    }
    const count = Math.ceil((end + millisPerDay - start) / millis)
    if (count > maxIntervals) {
      return yield* Either.left(
        Parameters.invalid(
          "startDate",
          `takes a date from which there are at most ${maxIntervals} intervals up to endDate; there are ${count}`
        )
      )
    }
    const begun = Math.max(0, Math.floor((now - start) / millis) + 1)
    return { interval, start, count: Math.min(count, begun), endDate }
  })

/** The last day of each interval, `YYYY-MM-DD`, none after the span's `endDate`. */
export const lastDaysOf = (span: RequestedSpan): ReadonlyArray<string> =>
  Intervals.startsOf(span).map((start) => {
    const last = dayText(start + Intervals.intervalMillis[span.interval] - 1)
    return last < span.endDate ? last : span.endDate
  })

/** A request for a series of counts, by one of the groups that it may have. */
export interface CountQuery<By extends string> extends SeriesQuery {
  /** What the counts are grouped by; null for counts without groups. */
  readonly by: By | null
}

/** Reads the parameters of a series of counts; `groups` are what `by` takes. Left: as `readSpan`, and another `by`. [SERIES-2, SERIES-5] */
export const readCounts = <const By extends string>(
  entries: Parameters.Entries,
  groups: ReadonlyArray<By>,
  now: Instant
): Either.Either<CountQuery<By>, InvalidParameter> =>
  Either.gen(function* () {
    const known = yield* Parameters.partition(
      entries,
      groups.length === 0 ? parameters : [...parameters, "by"]
    )
    const given = known.values.get("by")
    const by = groups.find((each) => each === given)
    if (given !== undefined && by === undefined) {
      return yield* Either.left(Parameters.invalid("by", `takes one of ${groups.join(", ")}`))
    }
    const span = yield* readSpan(known, Intervals.intervals, now)
    return { span, by: by ?? null, ignored: known.ignored }
  })

/** A request for the series of a campaign, or of one of its posts. */
export interface CampaignSeriesQuery extends SeriesQuery {
  /** The post; null for the whole campaign. */
  readonly postId: string | null
}

/** A reading is of a whole day, so no interval is shorter. */
const campaignIntervals = ["day", "week"] as const

/** Reads the parameters of a campaign's series. Left: as `readSpan`. [SERIES-1, SERIES-3] */
export const readCampaign = (
  entries: Parameters.Entries,
  now: Instant
): Either.Either<CampaignSeriesQuery, InvalidParameter> =>
  Either.gen(function* () {
    const known = yield* Parameters.partition(entries, [...parameters, "postId"])
    const span = yield* readSpan(known, campaignIntervals, now)
    return { span, postId: known.values.get("postId") ?? null, ignored: known.ignored }
  })
