/** What API clients call: leads, a lead, a campaign's metrics, and what the brand watches and measures. */
import {
  campaignSeriesView,
  Campaigns,
  CampaignStore,
  changeFeedJson,
  ChangeQueries,
  InvalidApiKey,
  LeadChanges,
  LeadQueries,
  Leads,
  maxCursorLength,
  MetricsQueries,
  metricsView,
  SeriesQueries,
  SignalStore,
  SortOrder,
  Timestamp,
  type Parameters,
  warningsView
} from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as OpenApi from "@effect/platform/OpenApi"
import { Clock, Effect, Either, Schema } from "effect"
import { ChangeFeedAnswer } from "../contract/ChangeSchemas.ts"
import {
  CursorExpiredFailure,
  InvalidParameterFailure,
  NotFoundFailure,
  UnavailableFailure
} from "../contract/Failures.ts"
import { list as listAnswer, warningsMeta } from "../contract/Envelopes.ts"
import { warningsOf } from "../contract/Suggestions.ts"
import { field, parameter } from "../contract/Fields.ts"
import { LeadDetailAnswer, LeadListAnswer } from "../contract/LeadSchemas.ts"
import { MetricsAnswer } from "../contract/MetricsSchemas.ts"
import { CampaignBody, SignalBody } from "../contract/OperatorSchemas.ts"
import { CampaignSeriesBody, spanParameters } from "../contract/SeriesSchemas.ts"
import { EncodedBodyCache } from "../EncodedBodyCache.ts"
import { type FastEndpoint, type FastHandler, type FastRequest, fastEndpoint } from "./Endpoint.ts"
import { pathParameter } from "./Paths.ts"
import { namedView, signalView } from "./Views.ts"
import { allIgnored } from "./Warnings.ts"

const positive = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
const boolean = { type: "boolean" }
const timestamp = (what: string) =>
  parameter(
    { type: "string" },
    `${what}. It ${Timestamp.accepted}. Inclusive; without a zone it is read as UTC`
  )

/** The query of a list, for the brand and for the operator. `LeadQueries` reads it and has the messages. [LIST-2 … LIST-8] */
export const listParameters = {
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
    { type: "string", maxLength: LeadQueries.maxSearchLength },
    "Part of the name or of the headline, in any letter case; no character is a wildcard"
  ),
  sort: parameter(
    { type: "string", default: SortOrder.format(SortOrder.byDefault) },
    `It ${SortOrder.accepted}`
  )
} satisfies Readonly<Record<(typeof LeadQueries.listParameters)[number], unknown>>

/** The query of a change feed, for the brand and for the operator. [CHG-1, CHG-2] */
export const changeParameters = {
  cursor: parameter(
    { type: "string", maxLength: maxCursorLength },
    "The meta.cursor of the answer before; without one the feed begins with the first lead"
  ),
  pageSize: parameter(
    { ...positive, default: 100 },
    "Changes a page; more than 100, or 25 with includeEngagements=true, is served at that"
  ),
  wait: parameter(
    { type: "integer", minimum: 0, maximum: ChangeQueries.maxWaitSeconds, default: 0 },
    "Seconds to wait for a change where there is none yet"
  ),
  includeEngagements: listParameters.includeEngagements,
  includeEngagementDetail: listParameters.includeEngagementDetail
}

const date = (what: string) => parameter({ type: "string", format: "date" }, what)

/** The query of a campaign's metrics: both days are inclusive, and each may be absent. [MET-2] */
export const metricsParameters = {
  startDate: date("The latest snapshot from this day on, YYYY-MM-DD"),
  endDate: date("The latest snapshot up to this day, YYYY-MM-DD")
}

const detailParameters = {
  includeEngagementDetail: parameter(boolean, "Adds postAuthorDetail and source to each engagement")
}

const leadPath = Schema.Struct({
  id: pathParameter("The lead's id", 41, { ...positive, description: "The lead's id" })
})

/* Reading the calls: parses with the domain's rules, runs a use case, renders a view. */

const bodies = new EncodedBodyCache()

/** The body of a list of the brand's leads. */
export const readList = ({ brandId, query }: Pick<FastRequest, "brandId" | "query">) => {
  const read = LeadQueries.readList(query)
  return Either.isLeft(read)
    ? Effect.fail(read.left)
    : Effect.map(Leads.listRendered(brandId, read.right), (page) => bodies.bodyOf(read.right, page))
}

/** The body for data that is JSON already. */
export const renderedAnswer = (data: string, ignored: Parameters.IgnoredParameters): string => {
  const warnings = warningsOf(ignored)
  return warnings.length === 0
    ? `{"data":${data}}`
    : `{"data":${data},"meta":${JSON.stringify(warningsView(warnings))}}`
}

const readDetail: FastHandler = ({ brandId, params, query }) => {
  const id = LeadQueries.readLeadId(params["id"]!)
  if (Either.isLeft(id)) return Effect.fail(id.left)
  const read = LeadQueries.readDetail(query)
  if (Either.isLeft(read)) return Effect.fail(read.left)
  const { engagements, ignored } = read.right
  return Effect.map(Leads.getRendered(brandId, id.right, engagements), (lead) =>
    renderedAnswer(lead, ignored)
  )
}

/** What a page of changes answers at once; where there is none, as soon as there is one, for as long as the query says. [CHG-6] */
const readChanges: FastHandler = ({ brandId, checkKey, keyId, query, waits }) =>
  Effect.gen(function* () {
    const read = yield* ChangeQueries.read(query)
    const first = yield* LeadChanges.read(brandId, read).pipe(
      // The brand's deletion has begun, and with it the key was revoked.
      Effect.catchTag("@lead-signals/domain/NotFound", () => new InvalidApiKey())
    )
    const page = yield* waits.until(first, {
      keyId,
      brandId,
      seconds: read.waitSeconds,
      isWorth: ({ changes, hasMore }) => changes.length > 0 || hasMore,
      positionOf: ({ next }) => next.position,
      look: (seen) => LeadChanges.readNext(seen, read),
      peek: (seen) => LeadChanges.readNext(seen, { limit: 1, engagements: "none" }),
      checkKey
    })
    return changeFeedJson(read, page, warningsOf(read.ignored))
  })

const readMetrics: FastHandler = ({ brandId, params, query }) =>
  Effect.gen(function* () {
    const id = params["id"]!
    const { ignored, span } = yield* MetricsQueries.read(query)
    const metrics = metricsView(id, yield* Campaigns.metrics(brandId, id, span))
    return renderedAnswer(JSON.stringify(metrics), ignored)
  })

const readSeries: FastHandler = ({ brandId, params, query }) =>
  Effect.gen(function* () {
    const id = params["id"]!
    const read = yield* SeriesQueries.readCampaign(query, yield* Clock.currentTimeMillis)
    const snapshots = yield* Campaigns.series(brandId, id, read)
    return renderedAnswer(JSON.stringify(campaignSeriesView(id, read, snapshots)), read.ignored)
  })

const readSignals: FastHandler = ({ brandId, query }) =>
  Effect.flatMap(SignalStore, (store) =>
    Effect.map(store.list(brandId), (signals) =>
      renderedAnswer(JSON.stringify(signals.map(signalView)), allIgnored(query))
    )
  )

const readCampaigns: FastHandler = ({ brandId, query }) =>
  Effect.flatMap(CampaignStore, (store) =>
    Effect.map(store.list(brandId), (campaigns) =>
      renderedAnswer(JSON.stringify(campaigns.map(namedView)), allIgnored(query))
    )
  )

/* The rows */

const spends =
  "Needs the brand's API key, and counts as one request of its window. X-RateLimit-Remaining has the number of requests left; without any the response is 429 with Retry-After."
const olderPath = "Deprecated: the same as the operation of /signals/leads, by its older path."

const list = <const Name extends string, const Path extends `/${string}`>(
  name: Name,
  path: Path,
  description: string
) =>
  fastEndpoint(
    path,
    () =>
      HttpApiEndpoint.get(name, path)
        .setUrlParams(Schema.Struct(listParameters))
        .addSuccess(LeadListAnswer)
        .addError(InvalidParameterFailure)
        .addError(UnavailableFailure),
    {
      summary: "List the brand's leads",
      description,
      answer: "A page of the brand's leads; empty past the last one",
      scope: "leads",
      listsLeads: true,
      read: readList
    }
  )

const detail = <const Name extends string, const Path extends `/${string}`>(
  name: Name,
  path: Path,
  description: string
) =>
  fastEndpoint(
    path,
    () =>
      HttpApiEndpoint.get(name, path)
        .setPath(leadPath)
        .setUrlParams(Schema.Struct(detailParameters))
        .addSuccess(LeadDetailAnswer)
        .addError(InvalidParameterFailure)
        .addError(NotFoundFailure)
        .addError(UnavailableFailure),
    {
      summary: "One lead with its newest engagements",
      description,
      answer: "The lead",
      scope: "leads",
      listsLeads: false,
      read: readDetail
    }
  )

const deprecated = <Declared extends HttpApiEndpoint.HttpApiEndpoint.Any, Path extends string>(
  row: FastEndpoint<Declared, Path>
): FastEndpoint<Declared, Path> => {
  const declared = row.declared as unknown as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
  return { ...row, declared: declared.annotate(OpenApi.Deprecated, true) as unknown as Declared }
}

/**
 * The read API: every call of a brand's API key. `FastPath` answers them; the scope of a key is `leads` or `metrics`. The two paths of
 * /signal-leads are deprecated names of the first two.
 */
export const leads = {
  listLeads: list(
    "listLeads",
    "/signals/leads",
    `Filters join with AND. The service ignores unknown parameters and lists them in meta.warnings. ${spends}`
  ),
  listChanges: fastEndpoint(
    "/signals/changes",
    (path) =>
      HttpApiEndpoint.get("listChanges", path)
        .setUrlParams(Schema.Struct(changeParameters))
        .addSuccess(ChangeFeedAnswer)
        .addError(InvalidParameterFailure)
        .addError(CursorExpiredFailure)
        .addError(UnavailableFailure),
    {
      summary: "The brand's leads as they change, in the order of commits",
      description: `Each lead comes once, at the place of its newest change, and leads that are gone come as \`removed\`. A copy that takes every page is equal to the brand's leads when hasMore is false, however many write meanwhile. With \`wait\` a request without changes is answered as soon as there is one; 4 requests of a key may wait at once, and further ones are answered at once. ${spends}`,
      answer: "A page of changes; empty when there is none yet",
      scope: "leads",
      listsLeads: true,
      read: readChanges
    }
  ),
  getLead: detail("getLead", "/signals/leads/:id", `With up to 20 newest engagements. ${spends}`),
  listSignalLeads: deprecated(list("listSignalLeads", "/signal-leads", olderPath)),
  getSignalLead: deprecated(detail("getSignalLead", "/signal-leads/:id", olderPath)),
  campaignMetrics: fastEndpoint(
    "/campaign/:id/metrics",
    (path) =>
      HttpApiEndpoint.get("campaignMetrics", path)
        .setPath(Schema.Struct({ id: pathParameter("The campaign's id", "1") }))
        .setUrlParams(Schema.Struct(metricsParameters))
        .addSuccess(MetricsAnswer)
        .addError(InvalidParameterFailure)
        .addError(NotFoundFailure)
        .addError(UnavailableFailure),
    {
      summary: "A campaign's engagement metrics",
      description: `Cumulative totals of the latest snapshot in the span; all null where there is none. ${spends}`,
      answer: "The campaign's totals",
      scope: "metrics",
      listsLeads: false,
      read: readMetrics
    }
  ),
  readCampaignSeries: fastEndpoint(
    "/campaign/:id/series",
    (path) =>
      HttpApiEndpoint.get("readCampaignSeries", path)
        .setPath(Schema.Struct({ id: pathParameter("The campaign's id", "1") }))
        .setUrlParams(
          Schema.Struct({
            ...spanParameters(["day", "week"]),
            postId: parameter({ type: "string", "x-pii": true }, "The figures of this post alone")
          })
        )
        .addSuccess(Schema.Struct({ data: field(CampaignSeriesBody, "The series"), meta: warningsMeta }))
        .addError(InvalidParameterFailure)
        .addError(NotFoundFailure)
        .addError(UnavailableFailure),
    {
      summary: "A campaign's figures over time",
      description: `Cumulative figures at the end of each day or week, as the operator reads them. ${spends}`,
      answer: "The series",
      scope: "metrics",
      listsLeads: false,
      read: readSeries
    }
  ),
  readCampaigns: fastEndpoint(
    "/campaigns",
    (path) =>
      HttpApiEndpoint.get("readCampaigns", path)
        .addSuccess(listAnswer(CampaignBody))
        .addError(InvalidParameterFailure)
        .addError(UnavailableFailure),
    {
      summary: "The brand's campaigns",
      description: `In order of creation. ${spends}`,
      answer: "The brand's campaigns",
      scope: "metrics",
      listsLeads: false,
      read: readCampaigns
    }
  ),
  readSignals: fastEndpoint(
    "/signals",
    (path) =>
      HttpApiEndpoint.get("readSignals", path)
        .addSuccess(listAnswer(SignalBody))
        .addError(InvalidParameterFailure)
        .addError(UnavailableFailure),
    {
      summary: "The brand's signals",
      description: `What the brand watches, in order of creation; the filter signalId takes their ids. ${spends}`,
      answer: "The brand's signals",
      scope: "leads",
      listsLeads: false,
      read: readSignals
    }
  )
}
