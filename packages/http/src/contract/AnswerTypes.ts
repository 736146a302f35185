/** The answers of the contract as types, for who reads them. */
import type { Schema } from "effect"
import type * as ChangeSchemas from "./ChangeSchemas.ts"
import type { envelopes } from "./EventSchemas.ts"
import type * as LeadSchemas from "./LeadSchemas.ts"
import type * as MetricsSchemas from "./MetricsSchemas.ts"

/** The body of `GET /signals/leads`. [LIST-1] */
export type LeadListAnswer = Schema.Schema.Type<typeof LeadSchemas.LeadListAnswer>
/** The body of `GET /signals/changes`. [CHG-1] */
export type ChangeFeedAnswer = Schema.Schema.Type<typeof ChangeSchemas.ChangeFeedAnswer>
/** The body of `GET /signals/leads/{id}`. [DET-1] */
export type LeadDetailAnswer = Schema.Schema.Type<typeof LeadSchemas.LeadDetailAnswer>
/** The body of `GET /campaign/{id}/metrics`. [MET-1] */
export type MetricsAnswer = Schema.Schema.Type<typeof MetricsSchemas.MetricsAnswer>
/** The body of a post to a webhook: an envelope with the data of one event. [EVT-1, EVT-4] */
export type WebhookEvent = Schema.Schema.Type<(typeof envelopes)[number]>
