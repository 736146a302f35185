/** Carries a request to the service and back: `fetch`, or a transport of the host's own. */
import { Data, Effect } from "effect"

export interface TransportRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export interface TransportResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

/** No response arrived, or only part of one. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{ readonly reason: string }> {}

/** Sends a GET. Interruption must cancel the request. */
export type Transport = (request: TransportRequest) => Effect.Effect<TransportResponse, NoAnswer>

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
