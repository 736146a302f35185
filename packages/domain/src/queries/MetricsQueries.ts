/** Reads the query of a campaign's metrics. [MET-2, MET-5] */
import { Either } from "effect"
import * as Calendar from "../model/Calendar.ts"
import type { InvalidParameter } from "../model/Failure.ts"
import * as Parameters from "./Parameters.ts"

/** Days as `YYYY-MM-DD`, both inclusive; such texts order as the days do. */
export interface DateSpan {
  readonly startDate?: string
  readonly endDate?: string
}

export interface MetricsQuery {
  readonly span: DateSpan
  readonly warnings: ReadonlyArray<string>
}

export const takesDate = "takes a date as YYYY-MM-DD"

const date = (
  known: Parameters.KnownParameters,
  name: string
): Either.Either<string | undefined, InvalidParameter> => {
  const value = known.values.get(name)
  return value === undefined || Calendar.isDate(value)
    ? Either.right(value)
    : Either.left(Parameters.invalid(name, takesDate))
}

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
      warnings: known.warnings
    }
  })
