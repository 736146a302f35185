/** What a host wants to know of the requests that it serves; nothing unless it brings this. Nothing of it is personal data. */
import { Context, Effect } from "effect"

/** A request that was answered. */
export interface AnsweredRequest {
  /** The HTTP method, as it was sent. */
  readonly method: string
  /** The pattern of the route; null when there is none. */
  readonly route: string | null
  /** The status of the answer; null when the client went away before it. */
  readonly status: number | null
  /** Milliseconds from the request's arrival to its answer. */
  readonly durationMillis: number
  /** Names of the known query parameters that were given, in order: the shape of a query, without its values. */
  readonly parameters: ReadonlyArray<string>
  /** The id that the answer carries as `X-Request-Id`. [ERR-4] */
  readonly requestId: string
}

/**
 * The hooks of a host around requests. The API runs the work of each within `around`, named by its method and the pattern
 * of its route, and calls `answered` at its end. The default does nothing.
 */
export class RequestObserver extends Context.Reference<RequestObserver>()(
  "@lead-signals/http/RequestObserver",
  {
    defaultValue: () => ({
      around: <A, E, R>(_name: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => work,
      answered: (_request: AnsweredRequest): Effect.Effect<void> => Effect.void
    })
  }
) {}
