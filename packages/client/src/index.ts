/** The client of the Lead Signals API, with promises. `@lead-signals/client/effect` is the same in Effect. */
import { Cause, Effect, Exit, Option, Scope, Stream } from "effect"
import type {
  Lead,
  LeadDetail,
  LeadPage,
  LeadPageQuery,
  LeadQuery,
  Metrics,
  MetricsQuery
} from "./ApiTypes.ts"
import { makeClient } from "./effect.ts"
import type { SyncOptions as StreamOptions } from "./Sync.ts"
import type { SyncedPage } from "./SyncedPage.ts"
import { fetchTransport } from "./Transport.ts"

export * from "./ApiTypes.ts"
export { InvalidCursor, RequestRefused, Unanswered } from "./Failures.ts"
export type { SyncedPage } from "./SyncedPage.ts"
export * from "./Webhooks.ts"

/** The options of `createClient`. */
export interface ClientOptions {
  /** The base URL of the API, including the path that it is mounted under, without a query. */
  readonly url: string | URL
  /** The API key of the brand, `lsk_` and 38 characters. [AUTH-1] */
  readonly key: string
  /** Milliseconds that a call may take with all its waits and retries; five minutes by default. */
  readonly patience?: number
  /** Milliseconds that the client waits for one response; 30 s by default. */
  readonly timeout?: number
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

/** Options of every call. */
export interface Call {
  /** Aborts the call with its waits and retries; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

const run = async <A, E>(work: Effect.Effect<A, E>, { signal }: Call = {}): Promise<A> => {
  signal?.throwIfAborted()
  const exit = await Effect.runPromiseExit(work, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  if (Cause.isInterruptedOnly(exit.cause)) signal?.throwIfAborted()
  throw Cause.squash(exit.cause)
}

/** Pulls a chunk of the stream when the loop asks for a value beyond those of the chunk before, and closes it when the loop ends. */
async function* iterate<A, E>(
  stream: Stream.Stream<A, E>,
  { signal }: Call = {}
): AsyncGenerator<A, void, void> {
  const scope = Effect.runSync(Scope.make())
  try {
    const pull = Effect.runSync(Scope.extend(Stream.toPull(stream), scope))
    const next = Effect.catchAll(pull, (end) =>
      Option.isNone(end) ? Effect.succeed(null) : Effect.fail(end.value)
    )
    for (;;) {
      const values = await run(next, { signal })
      if (values === null) return
      for (const value of values) {
        signal?.throwIfAborted()
        yield value
      }
    }
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** The options of `changes`: which leads, rendered with what, and where the sync begins. */
export interface SyncOptions extends Omit<StreamOptions, "replayWindow"> {
  /** Milliseconds before the latest update seen at which the next sync begins; two minutes by default. */
  readonly replayWindow?: number
}

/**
 * Reads the API with a brand's key. The client waits and retries by itself: a call rejects with
 * `RequestRefused` when the request is wrong, and with `Unanswered` when the patience is over.
 */
export interface LeadSignalsClient {
  /** Reads one page of leads, by default the first with 25. A page past the end has none. [PAGE-2, PAGE-3] */
  readonly listLeads: (query?: LeadPageQuery, call?: Call) => Promise<LeadPage>
  /**
   * Reads the leads of all pages, page by page as the loop iterates. Leads that move between pages meanwhile
   * may appear twice or not at all; `changes` keeps a complete copy.
   */
  readonly leads: (query?: LeadQuery, call?: Call) => AsyncGenerator<Lead, void, void>
  /**
   * Reads one lead with its newest engagements, at most 20; `includeEngagementDetail` adds the post's author and the
   * source. Rejects with `RequestRefused`, code `not_found`, when the brand has no such lead, and rejects with a `TypeError`
   * where the id is none. [DET-1, DET-2, DET-3]
   */
  readonly getLead: (
    id: number,
    query?: { readonly includeEngagementDetail?: boolean | undefined },
    call?: Call
  ) => Promise<LeadDetail>
  /**
   * Reads the latest snapshot of a campaign in a span of days, of all days without a query. Rejects with
   * `RequestRefused`, code `not_found`, when the brand has no such campaign, and rejects with a `TypeError`, without a request, where
   * the id is empty, `.` or `..`. [MET-2, MET-6]
   */
  readonly campaignMetrics: (campaignId: string, query?: MetricsQuery, call?: Call) => Promise<Metrics>
  /**
   * Emits the leads that are new or have changed since the cursor and those that are gone, and ends when there are no more. It follows
   * the service's feed of changes; with a filter, and where the service has no feed, it syncs by `updatedAt` and reports no leads that
   * are gone. Rejects with `InvalidCursor` when the cursor is malformed, and with `RequestRefused`, code `cursor_expired`, when the copy
   * must begin anew. [CHG-1, CHG-5]
   */
  readonly changes: (options?: SyncOptions, call?: Call) => AsyncGenerator<SyncedPage, void, void>
}

/**
 * Makes a client. It sends nothing yet. Throws a `TypeError`, which names the option, when `url` or `key` is missing
 * or malformed, also for a URL with a user, a password, a query or a fragment.
 */
export const createClient = ({ fetch, key, patience, timeout, url }: ClientOptions): LeadSignalsClient => {
  const client = makeClient({
    url,
    key,
    ...(patience === undefined ? {} : { patience }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(fetch === undefined ? {} : { transport: fetchTransport(fetch) })
  })
  return {
    listLeads: (query, call) => run(client.listLeads(query), call),
    leads: (query, call) => iterate(client.leads(query), call),
    getLead: (id, query, call) => run(client.getLead(id, query), call),
    campaignMetrics: (campaignId, query, call) => run(client.campaignMetrics(campaignId, query), call),
    changes: (options, call) => iterate(client.changes(options), call)
  }
}
