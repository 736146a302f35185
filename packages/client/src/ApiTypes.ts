/** The types of the API's requests and responses, from its schemas. */
import type { LeadDetailAnswer, LeadListAnswer, MetricsAnswer } from "@lead-signals/http"

export type { WebhookEvent } from "@lead-signals/http"

/** A page of leads, with its number and the number of pages. */
export type LeadPage = LeadListAnswer
export type Lead = LeadPage["data"][number]
export type LeadDetail = LeadDetailAnswer["data"]
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
