/** The types of the API's requests and responses, from its schemas. */
import type { LeadDetailAnswer, LeadListAnswer, MetricsAnswer } from "@lead-signals/http"

export type { WebhookEvent } from "@lead-signals/http"

/** A page of leads, with its number and the number of pages. */
export type LeadPage = LeadListAnswer
/** One lead of a page. Times are ISO 8601 texts in UTC; unknown values are null. [LIST-8] */
export type Lead = LeadPage["data"][number]
/** One lead with its company in full and its newest engagements, at most 20. [DET-1] */
export type LeadDetail = LeadDetailAnswer["data"]
/** The cumulative totals of a campaign; each figure is null when no snapshot lies in the span. [MET-1, MET-3] */
export type Metrics = MetricsAnswer["data"]

export type {
  LeadDetailQuery,
  LeadFilter,
  LeadPageQuery,
  LeadQuery,
  MetricsQuery,
  Shown,
  Sort,
  Time
} from "@lead-signals/http"
