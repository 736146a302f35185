/** The answers of the contract as types, for who reads them. */
import type { Schema } from "effect"
import type { envelopes } from "./EventSchemas.ts"
import type * as LeadSchemas from "./LeadSchemas.ts"
import type * as MetricsSchemas from "./MetricsSchemas.ts"

export type LeadListAnswer = Schema.Schema.Type<typeof LeadSchemas.LeadListAnswer>
export type LeadDetailAnswer = Schema.Schema.Type<typeof LeadSchemas.LeadDetailAnswer>
export type MetricsAnswer = Schema.Schema.Type<typeof MetricsSchemas.MetricsAnswer>
/** What a webhook is sent. */
export type WebhookEvent = Schema.Schema.Type<(typeof envelopes)[number]>
