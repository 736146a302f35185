/** What carries a request to the service and its answer back: `fetch`, or what a host has instead. */
import { Data, Effect } from "effect"

export interface TransportRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export interface TransportAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

/** There was no answer, or not all of one. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{ readonly reason: string }> {}

/** GETs. To be interrupted when nobody waits for the answer any more. */
export type Transport = (request: TransportRequest) => Effect.Effect<TransportAnswer, NoAnswer>

const reasonOf = (failure: unknown): string => {
  const { cause, code, name } = failure as { cause?: { code?: unknown }; code?: unknown; name?: unknown }
  return String(cause?.code ?? code ?? name ?? "unknown")
}

export const fetchTransport =
  (fetch: typeof globalThis.fetch): Transport =>
  ({ headers, url }) =>
    Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(url, { headers, signal, redirect: "manual" })
        return {
          status: response.status,
          headers: Object.fromEntries(response.headers),
          text: await response.text()
        }
      },
      catch: (failure) => new NoAnswer({ reason: reasonOf(failure) })
    })
