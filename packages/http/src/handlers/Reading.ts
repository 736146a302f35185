/**
 * What API clients read. Parses with the domain's rules, asks a use case, shows with a view. These are most of all
 * requests, so they do without the library's router, whose parameters they would not use: `App.ts` calls them by route.
 */
import {
  type BrandId,
  type Directory,
  type InvalidParameter,
  LeadQueries,
  type LeadStore,
  MetricSnapshots,
  metricsView,
  type NotFound,
  type Parameters,
  Reading,
  type StoreUnavailable,
  warningsView
} from "@lead-signals/domain"
import { Effect } from "effect"
import type { ReplyBody } from "../Answers.ts"
import { EncodedPages } from "../EncodedPages.ts"

/** A question of a client whose key is good, taken apart. */
interface Question {
  /** The key's, and the only one that the client can see. [AUTH-3] */
  readonly brandId: BrandId
  readonly params: Readonly<Record<string, string>>
  readonly query: Parameters.Entries
}

/** The body, in JSON. */
export type Reader = (
  question: Question
) => Effect.Effect<ReplyBody, InvalidParameter | NotFound | StoreUnavailable, LeadStore | Directory>

const pages = new EncodedPages()

const list: Reader = ({ brandId, query }) =>
  Effect.flatMap(LeadQueries.readList(query), (read) =>
    Effect.map(Reading.showLeads(brandId, read), (page) => pages.bodyOf(read, page))
  )

/** Of data in JSON. */
const answer = (data: string, warnings: ReadonlyArray<string>): string =>
  warnings.length === 0
    ? `{"data":${data}}`
    : `{"data":${data},"meta":${JSON.stringify(warningsView(warnings))}}`

const detail: Reader = ({ brandId, params, query }) =>
  Effect.flatMap(LeadQueries.readLeadId(params["id"]!), (id) =>
    Effect.flatMap(LeadQueries.readDetail(query), ({ warnings, withDetail }) =>
      Effect.map(Reading.leadDetail(brandId, id, withDetail), (lead) => answer(lead, warnings))
    )
  )

const metrics: Reader = ({ brandId, params, query }) =>
  Effect.gen(function* () {
    const id = params["id"]!
    const { span, warnings } = yield* MetricSnapshots.readQuery(query)
    const metrics = metricsView(id, yield* Reading.campaignMetrics(brandId, id, span))
    return answer(JSON.stringify(metrics), warnings)
  })

/** By the pattern of the route. */
export const readers: ReadonlyMap<string, Reader> = new Map([
  ["/signals/leads", list],
  ["/signals/leads/:id", detail],
  ["/signal-leads", list],
  ["/signal-leads/:id", detail],
  ["/campaign/:id/metrics", metrics]
])
