/** Figures over time. [SERIES-1] */
import {
  type campaignPostView,
  type campaignSeriesView,
  CountSeries,
  type countSeriesView,
  Intervals,
  SeriesQueries
} from "@lead-signals/domain"
import { Schema } from "effect"
import { documents } from "./DocumentedView.ts"
import {
  field,
  id,
  integer,
  numberOrNull,
  oneOf,
  parameter,
  piiText,
  piiTextOrNull,
  text,
  textOrNull,
  time
} from "./Fields.ts"

const rate = "(reactions + comments + reposts) / impressions, as a fraction; 0 where impressions is 0"

const before = "null before the first reading"

/** The parameters that choose the intervals of a series. */
export const spanParameters = (intervals: ReadonlyArray<Intervals.Interval>) => ({
  interval: parameter(
    { type: "string", enum: intervals, default: "day" },
    "The length of each interval, in UTC; a week begins on a Monday"
  ),
  startDate: parameter(
    { type: "string", format: "date" },
    `The first day; ${SeriesQueries.maxIntervals} intervals at most`
  ),
  endDate: parameter({ type: "string", format: "date" }, "The last day, inclusive; today by default")
})

/** Counts by interval. Each array of counts is as long as `starts`. [SERIES-1] */
export const CountSeriesBody = documents<ReturnType<typeof countSeriesView>>()(
  Schema.Struct({
    interval: oneOf(Intervals.intervals, "The length of each interval"),
    starts: field(Schema.Array(time), "When each interval begins; those that have not begun are left out"),
    series: field(
      Schema.Array(
        Schema.Struct({
          group: textOrNull(
            "The id of the signal, the type of the engagement, or the state of the deliveries; null without groups, and for engagements without a type",
            "7"
          ),
          counts: field(Schema.Array(integer("How many", 12)), "One for each interval")
        })
      ),
      `The groups with the most first, at most ${CountSeries.maxGroups}`
    ),
    rest: field(
      Schema.NullOr(Schema.Array(integer("How many", 0))),
      "The sums over all further groups; null when there are none"
    )
  })
).annotations({ identifier: "CountSeries", description: "Counts over time" })

/** Cumulative figures by interval; a later reading replaces those before it. [SERIES-3, SERIES-4] */
export const CampaignSeriesBody = documents<ReturnType<typeof campaignSeriesView>>()(
  Schema.Struct({
    campaignId: id,
    postId: piiTextOrNull("The post whose figures these are; null for the whole campaign", "post-1"),
    interval: oneOf(Intervals.intervals, "The length of each interval"),
    points: field(
      Schema.Array(
        Schema.Struct({
          start: time,
          impressions: numberOrNull(`Cumulative impressions at the end of the interval; ${before}`, 1200),
          reactions: numberOrNull(`Cumulative reactions; ${before}`, 40),
          comments: numberOrNull(`Cumulative comments; ${before}`, 6),
          reposts: numberOrNull(`Cumulative reposts; ${before}`, 2),
          engagementRate: numberOrNull(`${rate}; ${before}`, 0.04)
        })
      ),
      "One for each interval that has begun, in order"
    )
  })
).annotations({ identifier: "CampaignSeries", description: "Figures of a campaign over time" })

/** A post with the figures of its last reading. [SERIES-4] */
export const CampaignPostBody = documents<ReturnType<typeof campaignPostView>>()(
  Schema.Struct({
    postId: piiText("The post's id, as you named it", "post-1"),
    impressions: integer("Impressions", 1200),
    reactions: integer("Reactions", 40),
    comments: integer("Comments", 6),
    reposts: integer("Reposts", 2),
    engagementRate: Schema.Number.annotations({
      jsonSchema: { type: "number", description: rate, examples: [0.04] }
    }),
    snapshotDate: text("The day of its last reading", "2026-01-31")
  })
).annotations({ identifier: "CampaignPost", description: "A post of a campaign with its last reading" })
