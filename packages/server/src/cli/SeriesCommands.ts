/** `lead-signals series …` and `attention`: what happened over time, and what needs a hand. */
import * as Options from "@effect/cli/Options"
import { Intervals } from "@lead-signals/domain"
import { group, leaf } from "@lead-signals/command-line"
import { Effect, Option } from "effect"
import type { Json } from "./OperatorClient.ts"
import {
  brand,
  listing,
  listingOptions,
  pathOf,
  queryOf,
  readingOne,
  readingOptions,
  textOption
} from "./OperatorCommand.ts"
import { type ColumnList, type Columns, described, type Listing, tableOf } from "./Output.ts"

/** The options that choose the intervals of a series. */
export const spanOptions = <const Interval extends string>(
  intervals: readonly [Interval, ...Array<Interval>]
) => ({
  by: Options.choice("by", intervals).pipe(
    Options.withDescription("The length of each interval, in UTC [day]"),
    Options.optional
  ),
  start: textOption("start", "The first day, as YYYY-MM-DD"),
  end: textOption("end", "The last day, inclusive [today]")
})

/** The parameters of these options. */
export const spanOf = (given: {
  readonly by: Option.Option<string>
  readonly start: Option.Option<string>
  readonly end: Option.Option<string>
}) => ({ interval: given.by, startDate: given.start, endDate: given.end })

/** A row for each interval, with a column for each group: the id of a signal, or any text that a collector calls a type. */
const listingOf = (series: Json, total: string): Listing => {
  const counts: ColumnList = [
    ...series.series.map((each: Json) => [each.group ?? total, ({ i }: Json) => each.counts[i]] as const),
    ...(series.rest === null ? [] : [["rest", ({ i }: Json) => series.rest[i]] as const])
  ]
  const items = series.starts.map((start: string, i: number) => ({
    i,
    // What jsonl prints of an interval.
    toJSON: () => Object.fromEntries([...counts.map(([name, of]) => [name, of({ i })]), ["start", start]])
  }))
  return { value: series, items, columns: [["start", ({ i }) => series.starts[i]], ...counts] }
}

const groups = {
  leads: ["signal"],
  engagements: ["signal", "type"]
} as const

const countLeaf = (of: keyof typeof groups, summary: string) =>
  leaf(
    of,
    { summary },
    {
      brand,
      ...spanOptions(Intervals.intervals),
      group: Options.choice("group", groups[of] as ReadonlyArray<string>).pipe(
        Options.withDescription("What the counts are grouped by [nothing]"),
        Options.optional
      ),
      ...listingOptions
    },
    listing((call, given) =>
      Effect.map(
        call("GET", pathOf(given.brand, "series", of) + queryOf({ ...spanOf(given), by: given.group })),
        ({ data }) => listingOf(data, Option.isSome(given.group) ? "none" : of)
      )
    )
  )

/** `lead-signals series`: what the operator's calls below /series answer. [SERIES-1] */
export const seriesCommand = group(
  "series",
  {
    summary: "Counts leads, engagements and deliveries of a brand over time",
    details: ["One answer has at most 400 intervals. A week begins on a Monday."],
    examples: [
      ["lead-signals series engagements --group type --start 2026-01-01 --end 2026-01-31 --brand 2", ""]
    ]
  },
  [
    countLeaf("leads", "Counts new leads by their creation"),
    countLeaf("engagements", "Counts engagements by the time at which they were tracked"),
    leaf(
      "deliveries",
      { summary: "Counts the deliveries that were delivered or died" },
      { brand, ...spanOptions(Intervals.intervals), ...listingOptions },
      listing((call, given) =>
        Effect.map(
          call("GET", pathOf(given.brand, "series", "deliveries") + queryOf(spanOf(given))),
          ({ data }) => listingOf(data, "deliveries")
        )
      )
    )
  ]
)

const refusedColumns: Columns = {
  key: ({ keyId }) => keyId,
  label: ({ label }) => label,
  "refused requests": ({ count }) => count,
  last: ({ lastAt }) => lastAt
}

/** `lead-signals attention`. [OPER-13] */
export const attentionCommand = leaf(
  "attention",
  {
    summary: "Shows rejected observations, and keys at their limit, since the server started",
    details: ["The server that answers counts them in memory: of several nodes each has its own."]
  },
  { brand, ...readingOptions },
  readingOne((call, given) =>
    Effect.map(call("GET", pathOf(given.brand, "attention")), ({ data }) => ({
      value: data,
      text: (terminalColumns) =>
        [
          described(
            {
              since: data.since,
              "rejected observations": data.rejectedObservations.count,
              "last rejected": data.rejectedObservations.lastAt
            },
            terminalColumns
          ),
          "",
          data.refusedRequests.length === 0
            ? "No key was at its limit."
            : tableOf(refusedColumns, data.refusedRequests, terminalColumns)
        ].join("\n")
    }))
  )
)
