/** What a host wants to know of the requests that it serves; nothing unless it brings this. Nothing of it is personal data. */
import { Context, Effect } from "effect"

/** A request that was answered. */
export interface AnsweredRequest {
  readonly method: string
  /** The pattern of the route; null when there is none. */
  readonly route: string | null
  /** Null: it went away before it was answered. */
  readonly status: number | null
  readonly durationMillis: number
  /** Names of the parameters that were given and are known, in order: the shape of a query, without its values. */
  readonly parameters: ReadonlyArray<string>
  readonly requestId: string
}

export class RequestObserver extends Context.Reference<RequestObserver>()(
  "@lead-signals/http/RequestObserver",
  {
    defaultValue: () => ({
      around: <A, E, R>(_name: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => work,
      answered: (_request: AnsweredRequest): Effect.Effect<void> => Effect.void
    })
  }
) {}
