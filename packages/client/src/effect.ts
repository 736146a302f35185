/** The client for programs in Effect, over `fetch` or a transport of the program's own. */
import { Chunk, Effect, Option, Stream } from "effect"
import type {
  Lead,
  LeadDetail,
  LeadPage,
  LeadPageQuery,
  LeadQuery,
  Metrics,
  MetricsQuery
} from "./ApiTypes.ts"
import type { CallFailure, InvalidCursor } from "./Failures.ts"
import { readCalls } from "./ReadCalls.ts"
import { makeRequests, type RequestOptions } from "./Requests.ts"
import { changes, type SyncOptions } from "./Sync.ts"
import type { SyncedPage } from "./SyncedPage.ts"
import { fetchTransport, type Transport } from "./Transport.ts"

export * from "./ApiTypes.ts"
export * from "./Failures.ts"
export { NoAnswer, type Transport, type TransportResponse, type TransportRequest } from "./Transport.ts"
export type { SyncOptions } from "./Sync.ts"
export type { SyncedPage } from "./SyncedPage.ts"
export * from "./Webhooks.ts"

/** The options of `makeClient`. */
export interface ClientOptions extends RequestOptions {
  /** Replaces `fetch`. */
  readonly transport?: Transport
}

/**
 * Reads the API with a brand's key. The client waits and retries by itself: a call fails with
 * `RequestRefused` when the request is wrong, and with `Unanswered` when the patience is over.
 */
export interface LeadSignalsClient {
  /** Reads one page of leads, by default the first with 25. A page past the end has none. [PAGE-2, PAGE-3] */
  readonly listLeads: (query?: LeadPageQuery) => Effect.Effect<LeadPage, CallFailure>
  /**
   * Reads the leads of all pages, page by page as the stream is pulled. Leads that move between pages
   * meanwhile may appear twice or not at all; `changes` keeps a complete copy.
   */
  readonly leads: (query?: LeadQuery) => Stream.Stream<Lead, CallFailure>
  /**
   * Reads one lead with its newest engagements, at most 20; `includeEngagementDetail` adds the post's author and the
   * source. Fails with `RequestRefused`, code `not_found`, when the brand has no such lead, and dies with a `TypeError`
   * where the id is none. [DET-1, DET-2, DET-3]
   */
  readonly getLead: (
    id: number,
    query?: { readonly includeEngagementDetail?: boolean | undefined }
  ) => Effect.Effect<LeadDetail, CallFailure>
  /**
   * Reads the latest snapshot of a campaign in a span of days, of all days without a query. Fails with
   * `RequestRefused`, code `not_found`, when the brand has no such campaign, and dies with a `TypeError`, without a request, where
   * the id is empty, `.` or `..`. [MET-2, MET-6]
   */
  readonly campaignMetrics: (campaignId: string, query?: MetricsQuery) => Effect.Effect<Metrics, CallFailure>
  /**
   * Emits the leads that are new or have changed since the cursor and those that are gone, and ends when there are no more. It follows
   * the service's feed of changes; with a filter, and where the service has no feed, it syncs by `updatedAt` and reports no leads that
   * are gone. Fails with `InvalidCursor` when the cursor is malformed, and with `RequestRefused`, code `cursor_expired`, when the copy
   * must begin anew. [CHG-1, CHG-5]
   */
  readonly changes: (options?: SyncOptions) => Stream.Stream<SyncedPage, CallFailure | InvalidCursor>
}

/**
 * Makes a client. It sends nothing yet. Throws a `TypeError`, which names the option, when `url` or `key` is missing
 * or malformed, also for a URL with a user, a password, a query or a fragment.
 */
export const makeClient = ({ transport, ...options }: ClientOptions): LeadSignalsClient => {
  const request = makeRequests(transport ?? fetchTransport((...args) => globalThis.fetch(...args)), options)
  const read = readCalls(request)
  const listLeads = (query: LeadPageQuery = {}) => read("/signals/leads", {}, query)
  return {
    listLeads,
    leads: (query = {}) =>
      Stream.paginateChunkEffect(1, (page) =>
        Effect.map(listLeads({ ...query, page }), ({ data, meta }) => [
          Chunk.unsafeFromArray(data),
          page < meta.pagination.pageCount ? Option.some(page + 1) : Option.none()
        ])
      ),
    getLead: (id, query = {}) => Effect.map(read("/signals/leads/:id", { id }, query), ({ data }) => data),
    campaignMetrics: (campaignId, query = {}) =>
      Effect.map(read("/campaign/:id/metrics", { id: campaignId }, query), ({ data }) => data),
    changes: (given = {}) =>
      changes({ list: listLeads, changes: (query) => read("/signals/changes", {}, query) }, given)
  }
}
