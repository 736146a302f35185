/** A campaign's metrics, as the domain's view renders them. */
import type { metricsView } from "@lead-signals/domain"
import { Schema } from "effect"
import { documents } from "./DocumentedView.ts"
import { warningsMeta } from "./Envelopes.ts"
import { field, numberOrNull, text, textOrNull } from "./Fields.ts"

/** A campaign's totals as of `snapshotDate`, all null without one. [MET-1 … MET-4] */
export const MetricsBody = documents<ReturnType<typeof metricsView>>()(
  Schema.Struct({
    campaignId: text("Id of the campaign", "3"),
    impressions: numberOrNull("How often the posts were shown", 12000),
    reactions: numberOrNull("How many reactions they got", 340),
    comments: numberOrNull("How many comments they got", 55),
    reposts: numberOrNull("How often they were reposted", 21),
    engagementRate: numberOrNull(
      "(reactions + comments + reposts) / impressions, as a fraction; 0 where impressions is 0",
      0.0347
    ),
    snapshotDate: textOrNull("YYYY-MM-DD", "2026-01-31")
  })
).annotations({
  identifier: "Metrics",
  description: "Cumulative totals over all posts of the campaign; all null where no snapshot lies in the span"
})

/** The answer of GET /campaign/:id/metrics and of the operator's call. [MET-1] */
export const MetricsAnswer = Schema.Struct({
  data: field(MetricsBody, "The campaign's totals"),
  meta: warningsMeta
}).annotations({ identifier: "MetricsAnswer", description: "A campaign's metrics" })
