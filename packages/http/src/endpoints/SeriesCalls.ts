/** What happened over time, and what needs a hand. [SERIES-5, SERIES-6, OPER-13] */
import {
  Brands,
  countSeriesView,
  formatInstant,
  Intervals,
  KeyStore,
  type NotFound,
  Series,
  SeriesQueries,
  type StoreUnavailable
} from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Clock, Effect, Schema } from "effect"
import { Attention, type Tally } from "../Attention.ts"
import { AttentionBody } from "../contract/AttentionSchemas.ts"
import { data, warningsMeta } from "../contract/Envelopes.ts"
import { field, parameter } from "../contract/Fields.ts"
import { CountSeriesBody, spanParameters } from "../contract/SeriesSchemas.ts"
import * as Target from "../Target.ts"
import { operatorEndpoint } from "./OperatorEndpoint.ts"
import { ofBrand } from "./Paths.ts"
import { metaOf } from "./Views.ts"

const answer = "The counts, one of each group for each interval"

const answered = Schema.Struct({ data: field(CountSeriesBody, "The series"), meta: warningsMeta })

const byParameter = (groups: ReadonlyArray<string>) =>
  parameter({ type: "string", enum: groups }, "What the counts are grouped by; not at all by default")

/** Answers the counts that `count` makes of the request's span and groups. */
const respond = <const By extends string, R>(
  request: HttpServerRequest.HttpServerRequest,
  groups: ReadonlyArray<By>,
  count: (
    query: SeriesQueries.CountQuery<By>
  ) => Effect.Effect<Parameters<typeof countSeriesView>[1], NotFound | StoreUnavailable, R>
) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const query = yield* SeriesQueries.readCounts(Target.parametersOf(request.url), groups, now)
    return { data: countSeriesView(query.span, yield* count(query)), ...metaOf(query.ignored) }
  })

const tallyView = (tally: Tally | null) => ({
  count: tally?.count ?? 0,
  lastAt: tally === null ? null : formatInstant(tally.lastAt)
})

/** /operator/brands/:brandId/series/… and /attention. All need the scope read. */
export const seriesCalls = {
  leadSeries: operatorEndpoint(
    HttpApiEndpoint.get("leadSeries", "/operator/brands/:brandId/series/leads")
      .setPath(ofBrand)
      .setUrlParams(Schema.Struct({ ...spanParameters(Intervals.intervals), by: byParameter(["signal"]) }))
      .addSuccess(answered),
    {
      scope: "read",
      summary: "New leads over time",
      description:
        "Counts leads by their createdAt. By signal, a lead that several signals caught counts with each of them.",
      answer,
      handle: ({ path, request }) =>
        respond(request, ["signal"], ({ by, span }) =>
          Series.counts(path.brandId, { of: "leads", by: by ?? "none" }, span)
        )
    }
  ),
  engagementSeries: operatorEndpoint(
    HttpApiEndpoint.get("engagementSeries", "/operator/brands/:brandId/series/engagements")
      .setPath(ofBrand)
      .setUrlParams(
        Schema.Struct({ ...spanParameters(Intervals.intervals), by: byParameter(["signal", "type"]) })
      )
      .addSuccess(answered),
    {
      scope: "read",
      summary: "Engagements over time",
      description: "Counts engagements by their trackedAt, in all, by signal or by type.",
      answer,
      handle: ({ path, request }) =>
        respond(request, ["signal", "type"], ({ by, span }) =>
          Series.counts(path.brandId, { of: "engagements", by: by ?? "none" }, span)
        )
    }
  ),
  deliverySeries: operatorEndpoint(
    HttpApiEndpoint.get("deliverySeries", "/operator/brands/:brandId/series/deliveries")
      .setPath(ofBrand)
      .setUrlParams(Schema.Struct(spanParameters(Intervals.intervals)))
      .addSuccess(answered),
    {
      scope: "read",
      summary: "Deliveries over time",
      description: "Counts the deliveries to the brand's webhooks that were delivered or died, by state.",
      answer,
      handle: ({ path, request }) => respond(request, [], ({ span }) => Series.deliveries(path.brandId, span))
    }
  ),
  attention: operatorEndpoint(
    HttpApiEndpoint.get("attention", "/operator/brands/:brandId/attention")
      .setPath(ofBrand)
      .addSuccess(data(AttentionBody)),
    {
      scope: "read",
      summary: "Rejected observations and keys at their limit, since the server started",
      description:
        "This server counts them in memory: with several nodes each answers its own, and a restart begins anew.",
      answer: "The counts since the server started",
      handle: ({ path }) =>
        Effect.gen(function* () {
          const [attention, keyStore] = yield* Effect.all([Attention, KeyStore])
          const { id } = yield* Brands.get(path.brandId)
          const keys = yield* keyStore.list(id)
          return {
            data: {
              since: formatInstant(attention.since),
              rejectedObservations: tallyView(attention.rejectionsOf(id)),
              refusedRequests: keys.flatMap((key) => {
                const tally = attention.refusalsOf(key)
                return tally === null ? [] : [{ keyId: key.id, label: key.label, ...tallyView(tally) }]
              })
            }
          }
        })
    }
  )
}
