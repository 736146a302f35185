/** Carries a request to the service and back: `fetch`, or a transport of the host's own. */
import { Data, Effect } from "effect"

/** A GET request. */
export interface TransportRequest {
  /** The whole URL, with its query. */
  readonly url: string
  /** Header names in lower case, with their values: the key, and `accept`. */
  readonly headers: Readonly<Record<string, string>>
}

/** A response whose body has arrived whole. */
export interface TransportResponse {
  /** The HTTP status. Redirects are not followed. */
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body, decoded as UTF-8. */
  readonly text: string
}

/** No response arrived, or only part of one. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{
  /** The error's code or name, such as `ECONNREFUSED`, for the message of `Unanswered`. */
  readonly reason: string
}> {}

/** Sends a GET. Interruption must cancel the request. */
export type Transport = (request: TransportRequest) => Effect.Effect<TransportResponse, NoAnswer>

const reasonOf = (failure: unknown): string => {
  const { cause, code, name } = (failure ?? {}) as {
    cause?: { code?: unknown } | null
    code?: unknown
    name?: unknown
  }
  return String(cause?.code ?? code ?? name ?? "unknown")
}

/** A transport over `fetch`. It fails with what keeps a response from being read. */
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
