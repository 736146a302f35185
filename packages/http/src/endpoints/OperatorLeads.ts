/** The operator's calls about a brand's leads: list, follow, amend, erase, export. [OPER-5, CHG-7, PII-3, PII-5] */
import {
  Brands,
  changeFeedJson,
  ChangeQueries,
  companyView,
  engagementView,
  LeadAmendment,
  LeadChanges,
  LeadQueries,
  Leads,
  leadView,
  postView
} from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Schema } from "effect"
import * as Target from "../Target.ts"
import { ChangeFeedAnswer } from "../contract/ChangeSchemas.ts"
import { data } from "../contract/Envelopes.ts"
import { CursorExpiredFailure } from "../contract/Failures.ts"
import { sameAs } from "../contract/FieldDescriptions.ts"
import {
  amendableFields,
  ExportBody,
  LeadBody,
  LeadDetailBody,
  LeadListAnswer
} from "../contract/LeadSchemas.ts"
import { warningsOf } from "../contract/Suggestions.ts"
import { operatorEndpoint } from "./OperatorEndpoint.ts"
import { changeParameters, listParameters, readList, renderedAnswer } from "./Leads.ts"
import { ofBrand, ofLead } from "./Paths.ts"
import { allIgnored } from "./Warnings.ts"

const collection = "/operator/brands/:brandId/leads"
const path = `${collection}/:id` as const

const { wait: _, ...changeParametersWithoutWait } = changeParameters

/** /operator/brands/:brandId/leads and /changes. Reading needs the scope read, amending ingest, erasing admin. */
export const operatorLeads = {
  operatorLeads: operatorEndpoint(
    HttpApiEndpoint.get("operatorLeads", collection)
      .setPath(ofBrand)
      .setUrlParams(Schema.Struct(listParameters))
      .addSuccess(LeadListAnswer),
    {
      scope: "read",
      audited: "read",
      summary: "List a brand's leads",
      description:
        "As the brand's own key reads them: the same filters, sorts, pages and warnings. It spends no request of any key.",
      answer: "A page of the brand's leads; empty past the last one",
      handle: ({ path, request }) =>
        Effect.gen(function* () {
          const { id: brandId } = yield* Brands.get(path.brandId)
          const query = Target.parametersOf(request.url)
          return HttpServerResponse.uint8Array(yield* readList({ brandId, query }), {
            contentType: "application/json"
          })
        })
    }
  ),
  operatorChanges: operatorEndpoint(
    HttpApiEndpoint.get("operatorChanges", "/operator/brands/:brandId/changes")
      .setPath(ofBrand)
      .setUrlParams(Schema.Struct(changeParametersWithoutWait))
      .addSuccess(ChangeFeedAnswer)
      .addError(CursorExpiredFailure),
    {
      scope: "read",
      audited: "read",
      summary: "A brand's leads as they change, in the order of commits",
      description:
        "As the brand's own key follows them, with the same cursors. It answers at once: waiting is for keys. It spends no request of any key.",
      answer: "A page of changes; empty when there is none yet",
      handle: ({ path, request }) =>
        Effect.gen(function* () {
          const query = yield* ChangeQueries.read(
            Target.parametersOf(request.url),
            ChangeQueries.parametersWithoutWait
          )
          const page = yield* LeadChanges.read(path.brandId, query)
          return HttpServerResponse.text(changeFeedJson(query, page, warningsOf(query.ignored)), {
            contentType: "application/json"
          })
        })
    }
  ),
  operatorLead: operatorEndpoint(
    HttpApiEndpoint.get("operatorLead", path).setPath(ofLead).addSuccess(data(LeadDetailBody)),
    {
      scope: "read",
      summary: "One lead with its newest engagements in detail",
      description: "As the brand's own key reads it, with detail.",
      answer: "The lead",
      handle: ({ path, request }) =>
        Effect.gen(function* () {
          const id = yield* LeadQueries.readLeadId(path.id)
          const { id: brandId } = yield* Brands.get(path.brandId)
          const lead = yield* Leads.getRendered(brandId, id, "detailed")
          const ignored = allIgnored(Target.parametersOf(request.url))
          return HttpServerResponse.text(renderedAnswer(lead, ignored), { contentType: "application/json" })
        })
    }
  ),
  amendLead: operatorEndpoint(
    HttpApiEndpoint.patch("amendLead", path)
      .setPath(ofLead)
      .setPayload(LeadAmendment)
      .addSuccess(data(LeadBody)),
    {
      scope: "ingest",
      summary: "Set a lead's flags and score",
      description: "Sets flags and score; fields that are not named stay. updatedAt moves.",
      body: "The changes",
      fields: {
        ...sameAs("", amendableFields)
      },
      answer: "The lead as it is now",
      handle: ({ body, path }) =>
        Effect.gen(function* () {
          const id = yield* LeadQueries.readLeadId(path.id)
          const amendment = yield* body
          return { data: leadView(yield* Leads.amend(path.brandId, id, amendment)) }
        })
    }
  ),
  eraseLead: operatorEndpoint(HttpApiEndpoint.del("eraseLead", path).setPath(ofLead), {
    scope: "admin",
    summary: "Erase a person; only a keyed hash remains",
    description:
      "Removes the person: the lead, their engagements, events and deliveries, and their traces in the posts that others engaged with. The service suppresses later observations of the person by a keyed hash, which is all that remains.",
    answer: "The person is erased",
    handle: ({ path }) =>
      Effect.gen(function* () {
        const id = yield* LeadQueries.readLeadId(path.id)
        yield* Leads.erase(yield* Brands.get(path.brandId), id)
      })
  }),
  exportLead: operatorEndpoint(
    HttpApiEndpoint.get("exportLead", `${path}/export`).setPath(ofLead).addSuccess(data(ExportBody)),
    {
      scope: "read",
      audited: "read",
      summary: "Everything held about a person",
      description: "For the person's own request for access to their data.",
      answer:
        "The lead, with every engagement, and every post of theirs with which others were seen engaging",
      handle: ({ path }) =>
        Effect.gen(function* () {
          const id = yield* LeadQueries.readLeadId(path.id)
          const { engagements, lead, posts } = yield* Leads.exportData(path.brandId, id)
          return {
            data: {
              lead: leadView(lead),
              company: companyView(lead.profile.company),
              engagements: engagements.map((read) => engagementView(read, "detailed")),
              posts: posts.map(postView)
            }
          }
        })
    }
  )
}
