/** Lead Signals inside a host that does not use Effect: promises, plain values, a fetch handler. */
export {
  createLeadSignals,
  type EmbeddedOptions,
  type LeadSignals,
  type LogLine,
  type Store,
  type Webhooks
} from "./LeadSignals.ts"
export { type Call, Closed } from "./Calls.ts"
export type { LeadDetailQuery, LeadPageQuery, MetricsQuery } from "@lead-signals/http"
// What a call is rejected with.
export { InvalidParameter, NotFound, StoreUnavailable } from "@lead-signals/domain"
