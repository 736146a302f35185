/** Answers what the operator calls. */
import {
  type ApiKey,
  type Brand,
  Calendar,
  companyView,
  Directory,
  engagementView,
  formatInstant,
  formatInstantOrNull,
  InvalidParameter,
  LeadQueries,
  leadView,
  MetricSnapshots,
  metricsView,
  Operating,
  PostTotals,
  postView,
  NewSignal,
  type Signal,
  Reading
} from "@lead-signals/domain"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect } from "effect"
import { Admission } from "../Admission.ts"
import { data, noContent, overload, shown } from "../Answers.ts"
import * as Body from "../Body.ts"
import { RoutedApi } from "../contract/Api.ts"
import {
  Amendment,
  metricsContentType,
  NewBrand,
  NewCampaign,
  NewKey,
  ObservationBatch,
  Renaming
} from "../contract/OperatorApi.ts"
import { Metrics } from "../Metrics.ts"
import { listed } from "./Listed.ts"
import { answerLines } from "./ObservationLines.ts"

/** How many requests a minute a key may make that was made without a limit of its own. [RATE-1] */
export class DefaultRateLimit extends Context.Tag("@lead-signals/http/DefaultRateLimit")<
  DefaultRateLimit,
  number
>() {}

const created = 201

/* What is shown: each key is named, so that neither a hash nor a secret can come along. */

const namedView = ({ createdAt, id, name }: { id: string; name: string; createdAt: number }) => ({
  id,
  name,
  createdAt: formatInstant(createdAt)
})

const brandView = (brand: Brand) => ({
  ...namedView(brand),
  deletionStartedAt: formatInstantOrNull(brand.deletionStartedAt)
})

const keyView = (key: ApiKey) => ({
  id: key.id,
  label: key.label,
  start: key.start,
  requestsPerMinute: key.requestsPerMinute,
  createdAt: formatInstant(key.createdAt),
  lastUsedAt: formatInstantOrNull(key.lastUsedAt),
  revokedAt: formatInstantOrNull(key.revokedAt)
})

const signalView = ({ createdAt, id, name, signalType, source }: Signal) => ({
  id,
  name,
  signalType,
  source: {
    id,
    type: source.type,
    value: source.value,
    liCompanyId: source.liCompanyId,
    company: companyView(source.company)
  },
  createdAt: formatInstant(createdAt)
})

/* Reading the calls */

const readNewBrand = Body.read(NewBrand)
const readRenaming = Body.read(Renaming)
const readNewKey = Body.read(NewKey)
const readNewSignal = Body.read(NewSignal)
const readNewCampaign = Body.read(NewCampaign)
const readAmendment = Body.read(Amendment)
const readTotals = Body.read(PostTotals)
const decodeBatch = Body.decoding(ObservationBatch)

export const operator = HttpApiBuilder.group(RoutedApi, "operator", (handlers) =>
  handlers
    .handleRaw("metrics", () =>
      Effect.flatMap(Metrics, ({ text }) =>
        Effect.map(text, (page) => HttpServerResponse.text(page, { contentType: metricsContentType }))
      )
    )
    .handleRaw("createBrand", () =>
      Effect.gen(function* () {
        const { name } = yield* readNewBrand
        return data(brandView(yield* Operating.createBrand(name)), created)
      })
    )
    .handleRaw("listBrands", () =>
      Effect.flatMap(Directory, (directory) =>
        Effect.map(directory.brands, (brands) => data(brands.map(brandView)))
      )
    )
    .handleRaw("renameBrand", ({ path }) =>
      Effect.gen(function* () {
        const { name } = yield* readRenaming
        return data(brandView(yield* Operating.renameBrand(path.brandId, name)))
      })
    )
    .handleRaw("deleteBrand", ({ path }) =>
      Effect.map(Operating.deleteSomeOfBrand(path.brandId), ({ isFinished, leadsLeft }) =>
        data({ deleted: isFinished, leadsLeft })
      )
    )
    .handleRaw("createKey", ({ path }) =>
      Effect.gen(function* () {
        const { label, requestsPerMinute } = yield* readNewKey
        const limit = requestsPerMinute ?? (yield* DefaultRateLimit)
        const { key, value } = yield* Operating.createKey(path.brandId, { label, requestsPerMinute: limit })
        return data({ ...keyView(key), key: value }, created)
      })
    )
    .handleRaw("listKeys", ({ path }) => listed(path.brandId, (directory, id) => directory.keys(id), keyView))
    .handleRaw("revokeKey", ({ path }) => Effect.as(Operating.revokeKey(path.brandId, path.keyId), noContent))
    .handleRaw("createSignal", ({ path }) =>
      Effect.gen(function* () {
        const signal = yield* readNewSignal
        return data(signalView(yield* Operating.createSignal(path.brandId, signal)), created)
      })
    )
    .handleRaw("listSignals", ({ path }) =>
      listed(path.brandId, (directory, id) => directory.signals(id), signalView)
    )
    .handleRaw("renameSignal", ({ path }) =>
      Effect.gen(function* () {
        const { name } = yield* readRenaming
        return data(signalView(yield* Operating.renameSignal(path.brandId, path.id, name)))
      })
    )
    .handleRaw("deleteSignal", ({ path }) =>
      Effect.as(Operating.deleteSignal(path.brandId, path.id), noContent)
    )
    .handleRaw("recordObservations", ({ path, request }) =>
      Effect.gen(function* () {
        const brand = yield* Operating.brand(path.brandId)
        const admission = yield* Admission
        const feed = yield* admission.enter(brand)
        if (feed === null) return overload
        if (Body.mediaType(request.headers["content-type"]) === "application/x-ndjson") {
          return yield* answerLines(brand, request.stream, feed)
        }
        const bytes = yield* Body.receive
        const decoded = Effect.map(decodeBatch(bytes), ({ observations }) => observations)
        return data(yield* feed.record(bytes.length, decoded))
      })
    )
    .handleRaw("operatorLead", ({ path }) =>
      Effect.gen(function* () {
        const id = yield* LeadQueries.readLeadId(path.id)
        return shown(yield* Reading.leadDetail(path.brandId, id, true))
      })
    )
    .handleRaw("amendLead", ({ path }) =>
      Effect.gen(function* () {
        const id = yield* LeadQueries.readLeadId(path.id)
        const amendment = yield* readAmendment
        return data(leadView(yield* Operating.amendLead(path.brandId, id, amendment)))
      })
    )
    .handleRaw("eraseLead", ({ path }) =>
      Effect.gen(function* () {
        const id = yield* LeadQueries.readLeadId(path.id)
        yield* Operating.eraseLead(yield* Operating.brand(path.brandId), id)
        return noContent
      })
    )
    .handleRaw("exportLead", ({ path }) =>
      Effect.gen(function* () {
        const id = yield* LeadQueries.readLeadId(path.id)
        const { engagements, lead, posts } = yield* Operating.exportLead(path.brandId, id)
        return data({
          lead: leadView(lead),
          company: companyView(lead.profile.company),
          engagements: engagements.map((read) => engagementView(read, true)),
          posts: posts.map(postView)
        })
      })
    )
    .handleRaw("createCampaign", ({ path }) =>
      Effect.gen(function* () {
        const { name } = yield* readNewCampaign
        return data(namedView(yield* Operating.createCampaign(path.brandId, name)), created)
      })
    )
    .handleRaw("listCampaigns", ({ path }) =>
      listed(path.brandId, (directory, id) => directory.campaigns(id), namedView)
    )
    .handleRaw("renameCampaign", ({ path }) =>
      Effect.gen(function* () {
        const { name } = yield* readRenaming
        return data(namedView(yield* Operating.renameCampaign(path.brandId, path.id, name)))
      })
    )
    .handleRaw("deleteCampaign", ({ path }) =>
      Effect.as(Operating.deleteCampaign(path.brandId, path.id), noContent)
    )
    .handleRaw("putSnapshot", ({ path }) =>
      Effect.gen(function* () {
        const { brandId, day, id, postId } = path
        if (!Calendar.isDate(day)) {
          return yield* new InvalidParameter({
            parameter: "day",
            message: `The day ${MetricSnapshots.takesDate}.`
          })
        }
        const totals = yield* readTotals
        return data(metricsView(id, yield* Operating.putReading(brandId, id, { postId, day, totals })))
      })
    )
)
