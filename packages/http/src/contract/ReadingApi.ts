/** What API clients call: leads, a lead, a campaign's metrics. */
import { LeadQueries, SortOrder, Timestamp } from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { ApiKeyAccess } from "./Access.ts"
import { InvalidParameterFailure, NotFoundFailure, UnavailableFailure } from "./Failures.ts"
import { parameter } from "./Fields.ts"
import { LeadDetailAnswer, LeadListAnswer, MetricsAnswer } from "./LeadSchemas.ts"

const positive = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
const boolean = { type: "boolean" }
const timestamp = (what: string) =>
  parameter(
    { type: "string" },
    `${what}. It ${Timestamp.accepted}. Inclusive; without a zone it is read as UTC`
  )

const listParameters = {
  page: parameter({ ...positive, default: 1 }, "Page number, from 1"),
  pageSize: parameter(
    { ...positive, default: 25 },
    "Leads a page; more than 100, or 25 with includeEngagements=true, is served at that"
  ),
  signalId: parameter(positive, "Leads with at least one engagement from this signal"),
  qualified: parameter(boolean, "Leads with this flag"),
  exported: parameter(boolean, "Leads with this flag"),
  isEmployee: parameter(boolean, "Leads with this flag"),
  createdAfter: timestamp("Leads created at or after"),
  createdBefore: timestamp("Leads created at or before"),
  updatedAfter: timestamp("Leads updated at or after"),
  updatedBefore: timestamp("Leads updated at or before"),
  includeEngagements: parameter(boolean, "Adds up to 20 newest engagements to each lead"),
  includeEngagementDetail: parameter(
    boolean,
    "Adds postAuthorDetail and source to each engagement; needs includeEngagements=true"
  ),
  search: parameter(
    { type: "string", maxLength: LeadQueries.greatestSearchLength },
    "Part of the name or of the headline, in any letter case; every character stands for itself"
  ),
  sort: parameter(
    { type: "string", default: SortOrder.format(SortOrder.byDefault) },
    `It ${SortOrder.accepted}`
  )
}

const detailParameters = {
  includeEngagementDetail: parameter(boolean, "Adds postAuthorDetail and source to each engagement")
}

const leadPath = Schema.Struct({
  id: Schema.String.annotations({ jsonSchema: { ...positive, description: "The lead's id" } })
})

const list = <const Name extends string>(name: Name, path: "/signals/leads" | "/signal-leads") =>
  HttpApiEndpoint.get(name, path)
    .setUrlParams(Schema.Struct(listParameters))
    .addSuccess(LeadListAnswer)
    .addError(InvalidParameterFailure)
    .addError(UnavailableFailure)
    .annotate(OpenApi.Summary, "List the brand's leads")

const detail = <const Name extends string>(name: Name, path: "/signals/leads/:id" | "/signal-leads/:id") =>
  HttpApiEndpoint.get(name, path)
    .setPath(leadPath)
    .setUrlParams(Schema.Struct(detailParameters))
    .addSuccess(LeadDetailAnswer)
    .addError(InvalidParameterFailure)
    .addError(NotFoundFailure)
    .addError(UnavailableFailure)
    .annotate(OpenApi.Summary, "One lead with its newest engagements")

const date = (what: string) => parameter({ type: "string", format: "date" }, what)

export const ReadingApi = HttpApiGroup.make("reading", { topLevel: true })
  .add(list("listLeads", "/signals/leads"))
  .add(detail("getLead", "/signals/leads/:id"))
  .add(list("listSignalLeads", "/signal-leads").annotate(OpenApi.Deprecated, true))
  .add(detail("getSignalLead", "/signal-leads/:id").annotate(OpenApi.Deprecated, true))
  .add(
    HttpApiEndpoint.get("campaignMetrics", "/campaign/:id/metrics")
      .setPath(Schema.Struct({ id: Schema.String }))
      .setUrlParams(
        Schema.Struct({
          startDate: date("The latest snapshot from this day on, YYYY-MM-DD"),
          endDate: date("The latest snapshot up to this day, YYYY-MM-DD")
        })
      )
      .addSuccess(MetricsAnswer)
      .addError(InvalidParameterFailure)
      .addError(NotFoundFailure)
      .addError(UnavailableFailure)
      .annotate(OpenApi.Summary, "A campaign's engagement metrics")
  )
  .middleware(ApiKeyAccess)
  .annotate(OpenApi.Title, "Leads and metrics")
  .annotate(OpenApi.Description, "What a brand's API key reads")
