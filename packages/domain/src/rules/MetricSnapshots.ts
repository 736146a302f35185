/** A campaign's figures: which day is served, and how the readings of its posts add up. [MET-1 … MET-7] */
import { Either } from "effect"
import type { MetricSnapshot, PostTotals } from "../model/Campaign.ts"
import type { InvalidParameter } from "../model/Failure.ts"
import * as Calendar from "./Calendar.ts"
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

const date = (known: Parameters.Known, name: string): Either.Either<string | undefined, InvalidParameter> => {
  const value = known.values.get(name)
  return value === undefined || Calendar.isDate(value)
    ? Either.right(value)
    : Either.left(Parameters.invalid(name, takesDate))
}

export const readQuery = (entries: Parameters.Entries): Either.Either<MetricsQuery, InvalidParameter> =>
  Either.gen(function* () {
    const known = yield* Parameters.sortOut(entries, ["startDate", "endDate"])
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

/** Sums the last readings of all posts as of the day. */
export const sum = (snapshotDate: string, readings: ReadonlyArray<PostTotals>): MetricSnapshot => {
  const total = (figure: keyof PostTotals): number =>
    readings.reduce((all, reading) => all + reading[figure], 0)
  const [impressions, reactions, comments, reposts] = [
    total("impressions"),
    total("reactions"),
    total("comments"),
    total("reposts")
  ]
  return {
    impressions,
    reactions,
    comments,
    reposts,
    engagementRate: impressions === 0 ? 0 : (reactions + comments + reposts) / impressions,
    snapshotDate
  }
}
