/** Reads a request for a campaign's metrics from its query parameters. [MET-2, MET-5] */
import { Either } from "effect"
import type { InvalidParameter } from "../model/Failure.ts"
import * as Parameters from "./Parameters.ts"

/** A span of days, `YYYY-MM-DD`, both inclusive. Such texts sort as the days do. */
export interface DateSpan {
  /** The first day; absent: no bound. */
  readonly startDate?: string
  /** The last day; absent: no bound. */
  readonly endDate?: string
}

/** A request for a campaign's metrics, read and checked. */
export interface MetricsQuery {
  /** The metrics are those of the latest day in this span on which a post was read. */
  readonly span: DateSpan
  /** The parameters that were ignored. [LIST-10] */
  readonly ignored: Parameters.IgnoredParameters
}

/**
 * Reads the parameters of a campaign's metrics. Left: a date that is malformed, no day of the calendar or given
 * twice, or a `startDate` after `endDate`. [MET-2, MET-5]
 */
export const read = (entries: Parameters.Entries): Either.Either<MetricsQuery, InvalidParameter> =>
  Either.gen(function* () {
    const known = yield* Parameters.partition(entries, ["startDate", "endDate"])
    const startDate = yield* Parameters.date(known, "startDate")
    const endDate = yield* Parameters.date(known, "endDate")
    if (startDate !== undefined && endDate !== undefined && startDate > endDate) {
      return yield* Either.left(Parameters.invalid("startDate", "takes a date that is not after endDate"))
    }
    return {
      span: {
        ...(startDate === undefined ? {} : { startDate }),
        ...(endDate === undefined ? {} : { endDate })
      },
      ignored: known.ignored
    }
  })
