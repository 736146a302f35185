/** Reads the query of a campaign's metrics. [MET-2, MET-5] */
import { Either } from "effect"
import * as Calendar from "../model/Calendar.ts"
import type { InvalidParameter } from "../model/Failure.ts"
import * as Parameters from "./Parameters.ts"

/** Days as `YYYY-MM-DD`, both inclusive; such texts order as the days do. */
export interface DateSpan {
  /** The first day; absent: no bound. */
  readonly startDate?: string
  /** The last day; absent: no bound. */
  readonly endDate?: string
}

/** A request for a campaign's metrics, read and checked. */
export interface MetricsQuery {
  /** The days in which the latest snapshot is looked for. */
  readonly span: DateSpan
  /** The parameters that were ignored. [LIST-10] */
  readonly ignored: Parameters.IgnoredParameters
}

/** The end of each refusal of a date. [MET-5] */
export const takesDate = "takes a date as YYYY-MM-DD, such as 2026-01-31"

const date = (
  known: Parameters.KnownParameters,
  name: string
): Either.Either<string | undefined, InvalidParameter> => {
  const value = known.values.get(name)
  return value === undefined || Calendar.isDate(value)
    ? Either.right(value)
    : Either.left(Parameters.invalid(name, takesDate))
}

/**
 * Reads the parameters of a campaign's metrics. Left: a date that is malformed, no day of the calendar or given
 * twice, or a `startDate` after `endDate`. [MET-2, MET-5]
 */
export const read = (entries: Parameters.Entries): Either.Either<MetricsQuery, InvalidParameter> =>
  Either.gen(function* () {
    const known = yield* Parameters.partition(entries, ["startDate", "endDate"])
    const startDate = yield* date(known, "startDate")
    const endDate = yield* date(known, "endDate")
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
