/** Calls by path, whose parameters and answers are those of the API's table of endpoints. */
import type { PathParameter, ReadAnswer, ReadParameter, ReadPath } from "@lead-signals/http"
import type { Effect } from "effect"
import type { CallFailure } from "./Failures.ts"
import type { Requests } from "./Requests.ts"

/** A query whose parameters the endpoint has. */
type QueryOf<Path extends ReadPath, Query> = [Exclude<keyof Query, ReadParameter<Path>>] extends [never]
  ? Query
  : never

const filled = (path: string, parameters: Readonly<Record<string, string | number>>): string =>
  path.replace(/:([a-zA-Z]+)/g, (_, name: string) => encodeURIComponent(parameters[name]!))

export const readCalls =
  (request: Requests) =>
  <const Path extends ReadPath, Query extends object>(
    path: Path,
    parameters: { readonly [Name in PathParameter<Path>]: string | number },
    query: QueryOf<Path, Query>
  ): Effect.Effect<ReadAnswer<Path>, CallFailure> =>
    request<ReadAnswer<Path>>(filled(path, parameters), query)
