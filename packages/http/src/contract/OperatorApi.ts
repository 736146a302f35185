/** What the operator calls: brands, keys, signals, observations, leads, campaigns. */
import { NewSignal, PostTotals, requiredText, textLimits } from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { OperatorAccess } from "./Access.ts"
import {
  InvalidParameterFailure,
  NotFoundFailure,
  PayloadTooLargeFailure,
  RequestTimeoutFailure,
  UnavailableFailure,
  UnsupportedMediaTypeFailure
} from "./Failures.ts"
import { id, integer, numberOrNull, piiText, text, textOrNull, time, timeOrNull } from "./Fields.ts"
import {
  AuthoredPostBody,
  EngagementBody,
  LeadBody,
  LeadDetailBody,
  MetricsBody,
  SourceBody
} from "./LeadSchemas.ts"

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

const greatestBatch = 1000

/** Rejected lines of x-ndjson that one request is answered in full; a count answers each row of further ones. */
export const maxFullRejections = 1000

/** Prometheus' text format. */
export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8"

export const ObservationBatch = Schema.Struct({
  observations: Schema.Array(Schema.Unknown)
    .pipe(Schema.maxItems(greatestBatch))
    .annotations({ description: `an array of at most ${greatestBatch} observations` })
})

/* What is answered */

const data = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.Struct({ data: schema })
const list = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.Struct({ data: Schema.Array(schema) })
const created = { status: 201 }

const BrandBody = Schema.Struct({
  id,
  name: text(),
  createdAt: time,
  deletionStartedAt: timeOrNull
}).annotations({ identifier: "Brand" })

const DeletionBody = Schema.Struct({ deleted: Schema.Boolean, leadsLeft: integer() }).annotations({
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
const KeyBody = Schema.Struct(keyFields).annotations({ identifier: "ApiKey" })
const CreatedKeyBody = Schema.Struct({
  ...keyFields,
  key: text({ description: "The key itself: here and never again" })
}).annotations({ identifier: "CreatedApiKey" })

const SignalBody = Schema.Struct({
  id,
  name: text(),
  signalType: text(),
  source: SourceBody,
  createdAt: time
}).annotations({ identifier: "Signal" })

const CampaignBody = Schema.Struct({ id, name: text(), createdAt: time }).annotations({
  identifier: "Campaign"
})

const OutcomeBody = Schema.Struct({
  engagementId: textOrNull(),
  outcome: Schema.Literal("recorded", "duplicate", "suppressed", "rejected"),
  leadId: numberOrNull(),
  message: Schema.optional(Schema.String),
  count: Schema.optional(integer())
}).annotations({ identifier: "Outcome", description: "What became of one observation" })

const ExportBody = Schema.Struct({
  lead: LeadBody,
  company: LeadDetailBody.fields.company,
  engagements: Schema.Array(EngagementBody),
  posts: Schema.Array(AuthoredPostBody)
}).annotations({ identifier: "LeadExport", description: "Everything held about a person" })

const lines = (description: string) => ({
  "application/x-ndjson": { schema: { type: "string", description } }
})

/** The observations' other form, which no schema of one JSON value can say. */
const withLines = (operation: Record<string, any>): Record<string, any> => {
  Object.assign(operation.requestBody.content, lines("One observation a line, as JSON"))
  Object.assign(operation.responses["200"].content, lines("One outcome a line, as JSON"))
  return operation
}

/* The calls */

const brandPath = Schema.Struct({ brandId: Schema.String })
const ownedPath = Schema.Struct({ brandId: Schema.String, id: Schema.String })

const writes = [
  InvalidParameterFailure,
  PayloadTooLargeFailure,
  UnsupportedMediaTypeFailure,
  RequestTimeoutFailure
] as const

export const OperatorApi = HttpApiGroup.make("operator")
  .add(
    HttpApiEndpoint.get("metrics", "/metrics")
      .addSuccess(
        HttpApiSchema.Text({ contentType: metricsContentType }).annotations({
          description: "Counters, gauges and histograms, one sample a line"
        })
      )
      .annotate(OpenApi.Summary, "The service's metrics, for Prometheus")
  )
  .add(
    HttpApiEndpoint.post("createBrand", "/operator/brands")
      .setPayload(NewBrand)
      .addSuccess(data(BrandBody), created)
      .annotate(OpenApi.Summary, "Create a brand")
  )
  .add(
    HttpApiEndpoint.get("listBrands", "/operator/brands")
      .addSuccess(list(BrandBody))
      .annotate(OpenApi.Summary, "All brands")
  )
  .add(
    HttpApiEndpoint.patch("renameBrand", "/operator/brands/:brandId")
      .setPath(brandPath)
      .setPayload(Renaming)
      .addSuccess(data(BrandBody))
      .annotate(OpenApi.Summary, "Rename a brand")
  )
  .add(
    HttpApiEndpoint.del("deleteBrand", "/operator/brands/:brandId")
      .setPath(brandPath)
      .addSuccess(data(DeletionBody))
      .annotate(OpenApi.Summary, "Delete a brand with everything of it, some at a time")
  )
  .add(
    HttpApiEndpoint.post("createKey", "/operator/brands/:brandId/keys")
      .setPath(brandPath)
      .setPayload(NewKey)
      .addSuccess(data(CreatedKeyBody), created)
      .annotate(OpenApi.Summary, "Create an API key; its value is only in this answer")
  )
  .add(
    HttpApiEndpoint.get("listKeys", "/operator/brands/:brandId/keys")
      .setPath(brandPath)
      .addSuccess(list(KeyBody))
      .annotate(OpenApi.Summary, "The brand's keys, revoked ones too")
  )
  .add(
    HttpApiEndpoint.del("revokeKey", "/operator/brands/:brandId/keys/:keyId")
      .setPath(Schema.Struct({ brandId: Schema.String, keyId: Schema.String }))
      .annotate(OpenApi.Summary, "Revoke a key")
  )
  .add(
    HttpApiEndpoint.post("createSignal", "/operator/brands/:brandId/signals")
      .setPath(brandPath)
      .setPayload(NewSignal)
      .addSuccess(data(SignalBody), created)
      .annotate(OpenApi.Summary, "Create a signal")
  )
  .add(
    HttpApiEndpoint.get("listSignals", "/operator/brands/:brandId/signals")
      .setPath(brandPath)
      .addSuccess(list(SignalBody))
      .annotate(OpenApi.Summary, "The brand's signals")
  )
  .add(
    HttpApiEndpoint.patch("renameSignal", "/operator/brands/:brandId/signals/:id")
      .setPath(ownedPath)
      .setPayload(Renaming)
      .addSuccess(data(SignalBody))
      .annotate(OpenApi.Summary, "Rename a signal")
  )
  .add(
    HttpApiEndpoint.del("deleteSignal", "/operator/brands/:brandId/signals/:id")
      .setPath(ownedPath)
      .annotate(OpenApi.Summary, "Delete a signal; its leads stay")
  )
  .add(
    HttpApiEndpoint.post("recordObservations", "/operator/brands/:brandId/observations")
      .setPath(brandPath)
      .setPayload(ObservationBatch)
      .addSuccess(list(OutcomeBody))
      .annotate(OpenApi.Summary, "Feed observations")
      .annotate(
        OpenApi.Description,
        `At most ${greatestBatch} observations as JSON, or any number as application/x-ndjson, one a line, which is answered as application/x-ndjson while it is read: one outcome a line, in order; of many rejected lines the first ${maxFullRejections} in full, then a count for each row of them. When the store stops answering half way, the last line is an error body.`
      )
      .annotate(OpenApi.Transform, withLines)
  )
  .add(
    HttpApiEndpoint.get("operatorLead", "/operator/brands/:brandId/leads/:id")
      .setPath(ownedPath)
      .addSuccess(data(LeadDetailBody))
      .annotate(OpenApi.Summary, "One lead with its newest engagements in detail")
  )
  .add(
    HttpApiEndpoint.patch("amendLead", "/operator/brands/:brandId/leads/:id")
      .setPath(ownedPath)
      .setPayload(Amendment)
      .addSuccess(data(LeadBody))
      .annotate(OpenApi.Summary, "Set a lead's flags and score")
  )
  .add(
    HttpApiEndpoint.del("eraseLead", "/operator/brands/:brandId/leads/:id")
      .setPath(ownedPath)
      .annotate(OpenApi.Summary, "Erase a person; only a keyed hash stays")
  )
  .add(
    HttpApiEndpoint.get("exportLead", "/operator/brands/:brandId/leads/:id/export")
      .setPath(ownedPath)
      .addSuccess(data(ExportBody))
      .annotate(OpenApi.Summary, "Everything held about a person")
  )
  .add(
    HttpApiEndpoint.post("createCampaign", "/operator/brands/:brandId/campaigns")
      .setPath(brandPath)
      .setPayload(NewCampaign)
      .addSuccess(data(CampaignBody), created)
      .annotate(OpenApi.Summary, "Create a campaign")
  )
  .add(
    HttpApiEndpoint.get("listCampaigns", "/operator/brands/:brandId/campaigns")
      .setPath(brandPath)
      .addSuccess(list(CampaignBody))
      .annotate(OpenApi.Summary, "The brand's campaigns")
  )
  .add(
    HttpApiEndpoint.patch("renameCampaign", "/operator/brands/:brandId/campaigns/:id")
      .setPath(ownedPath)
      .setPayload(Renaming)
      .addSuccess(data(CampaignBody))
      .annotate(OpenApi.Summary, "Rename a campaign")
  )
  .add(
    HttpApiEndpoint.del("deleteCampaign", "/operator/brands/:brandId/campaigns/:id")
      .setPath(ownedPath)
      .annotate(OpenApi.Summary, "Delete a campaign with its snapshots")
  )
  .add(
    HttpApiEndpoint.put("putSnapshot", "/operator/brands/:brandId/campaigns/:id/posts/:postId/snapshots/:day")
      .setPath(
        Schema.Struct({
          brandId: Schema.String,
          id: Schema.String,
          postId: piiText(),
          day: text({ description: "YYYY-MM-DD", example: "2026-01-31" })
        })
      )
      .setPayload(PostTotals)
      .addSuccess(data(MetricsBody))
      .annotate(
        OpenApi.Summary,
        "Keep one post's cumulative totals of a day; answers the campaign's snapshot of it"
      )
  )
  .addError(writes[0])
  .addError(NotFoundFailure)
  .addError(writes[1])
  .addError(writes[2])
  .addError(writes[3])
  .addError(UnavailableFailure)
  .middleware(OperatorAccess)
  .annotate(OpenApi.Title, "Operator")
  .annotate(OpenApi.Description, "What the operator sets up, feeds and erases")
