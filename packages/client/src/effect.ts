/** The client for programs in Effect: over `fetch`, or over a transport of the program's own. */
import { Chunk, Effect, Option, Stream } from "effect"
import type {
  Lead,
  LeadDetail,
  LeadPage,
  LeadPageQuery,
  LeadQuery,
  Metrics,
  MetricsQuery
} from "./Contract.ts"
import type { CallFailure, InvalidCursor } from "./Failures.ts"
import { readCalls } from "./ReadCalls.ts"
import { makeRequests, type RequestOptions } from "./Requests.ts"
import { changes, type SyncedPage, type SyncOptions } from "./Sync.ts"
import { fetchTransport, type Transport } from "./Transport.ts"

export * from "./Contract.ts"
export * from "./Failures.ts"
export { NoAnswer, type Transport, type TransportAnswer, type TransportRequest } from "./Transport.ts"
export type { SyncedPage, SyncOptions } from "./Sync.ts"
export * from "./Webhooks.ts"

export interface ClientOptions extends RequestOptions {
  /** Instead of `fetch`. */
  readonly transport?: Transport
}

/**
 * What a brand's key reads. Waits and retries are the client's: a call fails with `RequestRefused` when it is wrong, and with
 * `Unanswered` when its patience is over.
 */
export interface LeadSignalsClient {
  /** One page. */
  readonly listLeads: (query?: LeadPageQuery) => Effect.Effect<LeadPage, CallFailure>
  /**
   * The leads of all pages, read as they are taken. Leads that move between pages meanwhile may come twice or not at all: to
   * keep a copy, take `changes`.
   */
  readonly leads: (query?: LeadQuery) => Stream.Stream<Lead, CallFailure>
  readonly getLead: (
    id: number,
    query?: { readonly includeEngagementDetail?: boolean | undefined }
  ) => Effect.Effect<LeadDetail, CallFailure>
  readonly campaignMetrics: (campaignId: string, query?: MetricsQuery) => Effect.Effect<Metrics, CallFailure>
  /**
   * What is new or has changed since the cursor, until there is no more. Of erased leads it tells nothing: whoever keeps a copy
   * must honour requests to delete by other ways.
   */
  readonly changes: (options?: SyncOptions) => Stream.Stream<SyncedPage, CallFailure | InvalidCursor>
}

export const makeClient = ({ transport, ...options }: ClientOptions): LeadSignalsClient => {
  const ask = makeRequests(transport ?? fetchTransport((...args) => globalThis.fetch(...args)), options)
  const read = readCalls(ask)
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
    changes: (given = {}) => changes(listLeads, given)
  }
}
