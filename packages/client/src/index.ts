/** The client of the Lead Signals API, with promises. The same in Effect is `@lead-signals/client/effect`. */
import { Cause, Effect, Exit, Stream } from "effect"
import type {
  Lead,
  LeadDetail,
  LeadPage,
  LeadPageQuery,
  LeadQuery,
  Metrics,
  MetricsQuery
} from "./Contract.ts"
import { makeClient } from "./effect.ts"
import type { SyncedPage, SyncOptions as StreamOptions } from "./Sync.ts"
import { fetchTransport } from "./Transport.ts"

export * from "./Contract.ts"
export { InvalidCursor, RequestRefused, Unanswered } from "./Failures.ts"
export type { SyncedPage } from "./Sync.ts"
export * from "./Webhooks.ts"

export interface ClientOptions {
  /** Where the API is, with the path that it is mounted under, if any. */
  readonly url: string | URL
  readonly key: string
  /** How long a call may take with all its waits and retries, in milliseconds; five minutes unless given. */
  readonly patience?: number
  /** How long one answer is waited for, in milliseconds; 30 s unless given. */
  readonly timeout?: number
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch
}

/** What every call takes besides its own arguments. */
export interface Call {
  /** Ends the call, its waits and retries included; it is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

const run = async <A, E>(work: Effect.Effect<A, E>, { signal }: Call = {}): Promise<A> => {
  signal?.throwIfAborted()
  const exit = await Effect.runPromiseExit(work, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  if (Cause.isInterruptedOnly(exit.cause)) signal?.throwIfAborted()
  throw Cause.squash(exit.cause)
}

/** Reads on as it is iterated, and stops with the loop. */
async function* iterate<A, E>(
  stream: Stream.Stream<A, E>,
  { signal }: Call = {}
): AsyncGenerator<A, void, void> {
  const values = Stream.toAsyncIterable(Stream.either(stream))[Symbol.asyncIterator]()
  try {
    for (;;) {
      signal?.throwIfAborted()
      const { done, value } = await nextOf(values, signal)
      if (done === true) return
      if (value._tag === "Left") throw value.left
      yield value.right
    }
  } finally {
    // Not waited for: what is under way ends by itself.
    void values.return?.()
  }
}

const nextOf = <A>(values: AsyncIterator<A>, signal: AbortSignal | undefined): Promise<IteratorResult<A>> => {
  if (signal === undefined) return values.next()
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error)
    signal.addEventListener("abort", stop, { once: true })
    values
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", stop))
  })
}

export interface SyncOptions extends Omit<StreamOptions, "replayWindow"> {
  /** From how long before the latest update seen the next sync asks again, in milliseconds; two minutes unless given. */
  readonly replayWindow?: number
}

/**
 * What a brand's key reads. Waits and retries are the client's: a call is rejected with `RequestRefused` when it is wrong, and
 * with `Unanswered` when its patience is over.
 */
export interface LeadSignalsClient {
  /** One page. */
  readonly listLeads: (query?: LeadPageQuery, call?: Call) => Promise<LeadPage>
  /**
   * The leads of all pages, read as they are taken. Leads that move between pages meanwhile may come twice or not at all: to
   * keep a copy, take `changes`.
   */
  readonly leads: (query?: LeadQuery, call?: Call) => AsyncGenerator<Lead, void, void>
  readonly getLead: (
    id: number,
    query?: { readonly includeEngagementDetail?: boolean | undefined },
    call?: Call
  ) => Promise<LeadDetail>
  readonly campaignMetrics: (campaignId: string, query?: MetricsQuery, call?: Call) => Promise<Metrics>
  /**
   * What is new or has changed since the cursor, until there is no more. Of erased leads it tells nothing: whoever keeps a copy
   * must honour requests to delete by other ways. Rejected with `InvalidCursor` when the cursor is none.
   */
  readonly changes: (options?: SyncOptions, call?: Call) => AsyncGenerator<SyncedPage, void, void>
}

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
