/** What the API answers and takes, from its contract. */
import type { LeadDetailAnswer, LeadListAnswer, MetricsAnswer } from "@lead-signals/http"

export type { WebhookEvent } from "@lead-signals/http"

/** A page of leads, with its place among the pages. */
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
