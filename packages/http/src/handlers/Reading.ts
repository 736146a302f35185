/** Answers what API clients read. Parses with the domain's rules, asks a use case, shows with a view. */
import {
  LeadQueries,
  leadDetailView,
  leadListView,
  MetricSnapshots,
  metricsView,
  Reading,
  warningsView
} from "@lead-signals/domain"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect } from "effect"
import { json } from "../Answers.ts"
import { CurrentKey } from "../contract/Access.ts"
import { Api } from "../contract/Api.ts"
import { parametersOf } from "../Target.ts"

interface Call {
  readonly request: HttpServerRequest.HttpServerRequest
}

const list = ({ request }: Call) =>
  Effect.gen(function* () {
    const { brandId } = yield* CurrentKey
    const query = yield* LeadQueries.readList(parametersOf(request.url))
    return json(leadListView(query, yield* Reading.listLeads(brandId, query)))
  })

const answer = (data: unknown, warnings: ReadonlyArray<string>) =>
  json(warnings.length === 0 ? { data } : { data, meta: warningsView(warnings) })

const detail = ({ path, request }: Call & { readonly path: { readonly id: string } }) =>
  Effect.gen(function* () {
    const { brandId } = yield* CurrentKey
    const id = yield* LeadQueries.readLeadId(path.id)
    const query = yield* LeadQueries.readDetail(parametersOf(request.url))
    const { lead, window } = yield* Reading.leadDetail(brandId, id)
    return answer(leadDetailView(lead, window, query.withDetail), query.warnings)
  })

const metrics = ({ path, request }: Call & { readonly path: { readonly id: string } }) =>
  Effect.gen(function* () {
    const { brandId } = yield* CurrentKey
    const query = yield* MetricSnapshots.readQuery(parametersOf(request.url))
    return answer(
      metricsView(path.id, yield* Reading.campaignMetrics(brandId, path.id, query.span)),
      query.warnings
    )
  })

export const reading = HttpApiBuilder.group(Api, "reading", (handlers) =>
  handlers
    .handleRaw("listLeads", list)
    .handleRaw("getLead", detail)
    .handleRaw("listSignalLeads", list)
    .handleRaw("getSignalLead", detail)
    .handleRaw("campaignMetrics", metrics)
)
