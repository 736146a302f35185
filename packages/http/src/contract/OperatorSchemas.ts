/** What the operator sends and is answered about brands, keys, signals, observations, leads and campaigns. */
import { requiredText, textLimits } from "@lead-signals/domain"
import { Schema } from "effect"
import { id, integer, numberOrNull, text, textOrNull, time, timeOrNull } from "./Fields.ts"
import { AuthoredPostBody, EngagementBody, LeadBody, LeadDetailBody, SourceBody } from "./LeadSchemas.ts"

/* What is sent */

export const NewBrand = Schema.Struct({ name: requiredText(textLimits.name) })
export const NewCampaign = Schema.Struct({ name: requiredText(textLimits.name) })
export const Renaming = Schema.Struct({ name: requiredText(textLimits.name) })

export const maxRequestsPerMinute = 1_000_000

export const NewKey = Schema.Struct({
  label: requiredText(textLimits.name),
  requestsPerMinute: Schema.optional(
    Schema.Int.pipe(Schema.between(1, maxRequestsPerMinute)).annotations({
      description: `an integer from 1 to ${maxRequestsPerMinute}`
    })
  )
})

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

export const Amendment = Schema.Struct({
  qualified: optional(Schema.Boolean),
  exported: optional(Schema.Boolean),
  isEmployee: optional(Schema.Boolean),
  score1: optional(
    Schema.NullOr(Schema.Number.pipe(Schema.finite())).annotations({ description: "a number or null" })
  )
})

export const greatestBatch = 1000

/** Rejected lines of x-ndjson that one request is answered in full; a count answers each row of further ones. */
export const maxFullRejections = 1000

export const ObservationBatch = Schema.Struct({
  observations: Schema.Array(Schema.Unknown)
    .pipe(Schema.maxItems(greatestBatch))
    .annotations({ description: `an array of at most ${greatestBatch} observations` })
})

/* What is answered */

export const BrandBody = Schema.Struct({
  id,
  name: text(),
  createdAt: time,
  deletionStartedAt: timeOrNull
}).annotations({ identifier: "Brand" })

export const DeletionBody = Schema.Struct({ deleted: Schema.Boolean, leadsLeft: integer() }).annotations({
  identifier: "BrandDeletion"
})

const keyFields = {
  id,
  label: text(),
  start: text({ description: "The key's first 12 characters" }),
  requestsPerMinute: integer(),
  createdAt: time,
  lastUsedAt: timeOrNull,
  revokedAt: timeOrNull
}
export const KeyBody = Schema.Struct(keyFields).annotations({ identifier: "ApiKey" })
export const CreatedKeyBody = Schema.Struct({
  ...keyFields,
  key: text({ description: "The key itself: here and never again" })
}).annotations({ identifier: "CreatedApiKey" })

export const SignalBody = Schema.Struct({
  id,
  name: text(),
  signalType: text(),
  source: SourceBody,
  createdAt: time
}).annotations({ identifier: "Signal" })

export const CampaignBody = Schema.Struct({ id, name: text(), createdAt: time }).annotations({
  identifier: "Campaign"
})

export const OutcomeBody = Schema.Struct({
  engagementId: textOrNull(),
  outcome: Schema.Literal("recorded", "duplicate", "suppressed", "rejected"),
  leadId: numberOrNull(),
  message: Schema.optional(Schema.String),
  count: Schema.optional(integer())
}).annotations({ identifier: "Outcome", description: "What became of one observation" })

export const ExportBody = Schema.Struct({
  lead: LeadBody,
  company: LeadDetailBody.fields.company,
  engagements: Schema.Array(EngagementBody),
  posts: Schema.Array(AuthoredPostBody)
}).annotations({ identifier: "LeadExport", description: "Everything held about a person" })
