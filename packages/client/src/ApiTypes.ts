/** The types of the API's requests and responses, from its schemas. */
import type { ChangeFeedAnswer, LeadDetailAnswer, LeadListAnswer, MetricsAnswer } from "@lead-signals/http"

import type { EngagementOptions } from "@lead-signals/http"

export type { WebhookEvent } from "@lead-signals/http"

/** A page of leads, with its number and the number of pages. */
export type LeadPage = LeadListAnswer
/** One lead of a page. Times are ISO 8601 texts in UTC; unknown values are null. [LIST-8] */
export type Lead = LeadPage["data"][number]
/** A page of the feed of changes. [CHG-1] */
export type ChangeFeedPage = ChangeFeedAnswer
/** A lead that is gone: its id, and when it was removed. [CHG-3] */
export type RemovedLead = Omit<
  Extract<ChangeFeedAnswer["data"][number], { readonly type: "removed" }>,
  "type"
>
/** Where a page of the feed of changes begins, how long it is, and how long to wait for it. */
export interface ChangeFeedQuery extends EngagementOptions {
  /** The cursor of the page before; without one the feed begins with the first lead. */
  readonly cursor?: string | undefined
  /** Changes on a page, at most 100. */
  readonly pageSize?: number | undefined
  /** Seconds to wait for a change, from 0 to 30. */
  readonly wait?: number | undefined
}
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
  EngagementOptions,
  Sort,
  Time
} from "@lead-signals/http"
