/** The table of all endpoints, and what derives from it: the groups of the API, its OpenAPI document and its handlers. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { Layer, Option, type Schema } from "effect"
import { ApiKeyAccess, OperatorAccess } from "../contract/Access.ts"
import {
  ForbiddenFailure,
  InvalidParameterFailure,
  InvalidCredentialFailure,
  NotFoundFailure,
  PayloadTooLargeFailure,
  RequestTimeoutFailure,
  UnavailableFailure,
  UnsupportedMediaTypeFailure
} from "../contract/Failures.ts"
import type { DocumentedRow } from "../contract/Documentation.ts"
import { additionalSchemas, completed } from "../contract/OpenApi.ts"
import { audit } from "./Audit.ts"
import { brands } from "./Brands.ts"
import { campaigns } from "./Campaigns.ts"
import { deliveries } from "./Deliveries.ts"
import { servedToOperators } from "./OperatorEndpoint.ts"
import { type FastEndpoint, groupOf, type Rows, served } from "./Endpoint.ts"
import { health } from "./Health.ts"
import { keys } from "./Keys.ts"
import { leads } from "./Leads.ts"
import { liveEvents } from "./LiveEvents.ts"
import { metricsPage } from "./MetricsPage.ts"
import { observations } from "./Observations.ts"
import { operatorLeads } from "./OperatorLeads.ts"
import { pathDescriptionsOf } from "./Paths.ts"
import { seriesCalls } from "./SeriesCalls.ts"
import { sessionCalls } from "./SessionCalls.ts"
import { signals } from "./Signals.ts"
import { tokens } from "./Tokens.ts"
import { leadResend, webhooks } from "./Webhooks.ts"

/** The version of the contract. Its minor part rises when the contract grows; docs/openapi keeps a baseline of each. [VER-1] */
export const apiVersion = "1.8.0"

const operatorEndpoints = {
  ...metricsPage,
  ...brands,
  ...keys,
  ...signals,
  ...observations,
  ...operatorLeads,
  ...liveEvents,
  ...seriesCalls,
  ...campaigns,
  ...tokens,
  ...audit
}

const webhookEndpoints = { ...webhooks, ...deliveries, ...leadResend }

/** Every endpoint, by group, in the order of the OpenAPI document. */
const endpoints = {
  reading: leads,
  health,
  session: sessionCalls,
  operator: operatorEndpoints,
  webhooks: webhookEndpoints
}

const HealthApi = groupOf("health", health, { topLevel: true })
  .annotate(OpenApi.Title, "Health")
  .annotate(OpenApi.Description, "Health and metrics, for the operator of the service")

const ReadingApi = groupOf("reading", leads, { topLevel: true })
  .middleware(ApiKeyAccess)
  .annotate(OpenApi.Title, "Leads and metrics")
  .annotate(OpenApi.Description, "Leads and campaign metrics that a brand's API key can read")

const SessionApi = groupOf("session", sessionCalls)
  .addError(InvalidParameterFailure)
  .addError(InvalidCredentialFailure)
  .addError(ForbiddenFailure)
  .addError(NotFoundFailure)
  .addError(PayloadTooLargeFailure)
  .addError(UnsupportedMediaTypeFailure)
  .addError(RequestTimeoutFailure)
  .addError(UnavailableFailure)
  .annotate(OpenApi.Title, "Session")
  .annotate(OpenApi.Description, "Sign-in of browsers")

const OperatorApi = groupOf("operator", operatorEndpoints)
  .addError(InvalidParameterFailure)
  .addError(NotFoundFailure)
  .addError(PayloadTooLargeFailure)
  .addError(UnsupportedMediaTypeFailure)
  .addError(RequestTimeoutFailure)
  .addError(UnavailableFailure)
  .middleware(OperatorAccess)
  .annotate(OpenApi.Title, "Operator")
  .annotate(OpenApi.Description, "What the operator creates, feeds and erases")

const WebhookApi = groupOf("webhooks", webhookEndpoints)
  .addError(InvalidParameterFailure)
  .addError(NotFoundFailure)
  .addError(PayloadTooLargeFailure)
  .addError(RequestTimeoutFailure)
  .addError(UnsupportedMediaTypeFailure)
  .addError(UnavailableFailure)
  .middleware(OperatorAccess)
  .annotate(OpenApi.Title, "Webhooks")
  .annotate(OpenApi.Description, "Webhooks, and the deliveries of their events")

/** The part of the API that the platform's router serves. The fast path serves the reads of API clients. */
export const RoutedApi = HttpApi.make("lead-signals")
  .add(HealthApi)
  .add(SessionApi)
  .add(OperatorApi)
  .add(WebhookApi)

const operatorRowOf = (row: { readonly scope?: string; readonly takesKey?: boolean }) => ({
  scope: row.scope ?? null,
  takesKey: row.takesKey ?? false
})

/** The descriptions of the operations, by their ids in the document. */
const documentedRows = (): Readonly<Record<string, DocumentedRow>> =>
  Object.fromEntries(
    Object.values(Api.groups).flatMap(({ identifier, topLevel }) =>
      Object.entries(endpoints[identifier] as Rows).map(([name, { declared, documentation }]) => {
        const pathDescriptions = Option.match(declared.pathSchema as Option.Option<Schema.Schema.All>, {
          onNone: () => ({}),
          onSome: pathDescriptionsOf
        })
        const ofOperator = operatorRowOf(endpoints[identifier][name as never])
        return [topLevel ? name : `${identifier}.${name}`, { documentation, pathDescriptions, ...ofOperator }]
      })
    )
  )

/**
 * The API as a value of `@effect/platform`: every endpoint with its schemas, for clients and documents that derive
 * from it.
 */
export const Api = HttpApi.make("lead-signals")
  .add(ReadingApi)
  .addHttpApi(RoutedApi)
  .annotate(HttpApi.AdditionalSchemas, additionalSchemas)
  .annotate(OpenApi.Title, "Lead Signals")
  .annotate(OpenApi.Version, apiVersion)
  .annotate(OpenApi.Summary, "Leads, engagements and campaign metrics of a brand")
  .annotate(OpenApi.License, { name: "Proprietary" })
  .annotate(OpenApi.Servers, [{ url: ".", description: "The server of this document" }])
  .annotate(
    OpenApi.Description,
    "People who engaged with what a brand tracks, their engagements, and campaign metrics. Fields marked x-pii hold personal data: store them encrypted, send them over TLS only, and honour requests to delete."
  )
  .annotate(OpenApi.Transform, (spec) => completed(spec, documentedRows()))

let document: OpenApi.OpenAPISpec | null = null

/**
 * The OpenAPI 3.1 document. Objects can gain fields in later versions, so no schema forbids a field. The first call makes
 * the document, which takes long beside the start of a server; later calls return the same object.
 */
export const openApi = (): OpenApi.OpenAPISpec =>
  (document ??= OpenApi.fromApi(Api, { additionalPropertiesStrategy: "allow" }))

/** The handlers of `RoutedApi`. */
export const handlers = Layer.mergeAll(
  served(RoutedApi, "health", health),
  served(RoutedApi, "session", sessionCalls),
  servedToOperators(RoutedApi, "operator", operatorEndpoints),
  servedToOperators(RoutedApi, "webhooks", webhookEndpoints)
)

/** A row of the fast path, with its name. */
export interface FastRow extends Pick<FastEndpoint<any, string>, "read" | "scope" | "listsLeads"> {
  readonly name: string
}

/** The rows of the fast path, by the pattern of the route. */
export const fastRows: ReadonlyMap<string, FastRow> = new Map(
  Object.entries(leads).map(([name, { listsLeads, path, read, scope }]) => [
    path,
    { name, listsLeads, read, scope }
  ])
)
