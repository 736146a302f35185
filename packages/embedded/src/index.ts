/** Lead Signals inside a host that does not use Effect: promises, plain values, a fetch handler. */
export {
  type CampaignMetrics,
  createLeadSignals,
  type EmbeddedFetch,
  type Engagement,
  type Lead,
  type LeadDetail,
  type LeadPage,
  type LeadSignals,
  type Observation
} from "./LeadSignals.ts"
export { type Call, Closed } from "./CallTracker.ts"
export type { EmbeddedOptions, LogLine, Store, Webhooks } from "./Options.ts"
export type { LeadDetailQuery, LeadPageQuery, MetricsQuery } from "@lead-signals/http"
export type { Campaign, Outcome, Signal } from "@lead-signals/domain"
// The errors that calls reject with.
export { InvalidParameter, NotFound, StoreUnavailable } from "@lead-signals/domain"
