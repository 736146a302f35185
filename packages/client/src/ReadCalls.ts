/** Calls by path, whose parameters and answers are those of the API's table of endpoints. */
import type { PathParameter, ReadAnswer, ReadParameter, ReadPath } from "@lead-signals/http"
import { Effect } from "effect"
import type { CallFailure } from "./Failures.ts"
import type { Requests } from "./Requests.ts"

/** A query whose parameters the endpoint has. */
type QueryOf<Path extends ReadPath, Query> = [Exclude<keyof Query, ReadParameter<Path>>] extends [never]
  ? Query
  : never

/** Segments that a URL parser takes out of a path, even when they are encoded, so that another endpoint would be called. */
const dropped = new Set(["", ".", ".."])

/** One segment of a path. Throws a `TypeError`, which names the parameter, for a value that can't be one. */
const segmentOf = (name: string, value: unknown): string => {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : ""
  if (dropped.has(text) || !text.isWellFormed())
    throw new TypeError(`${name} takes an id, such as 41: it is ${text === "" ? "empty" : "no id"}.`)
  return encodeURIComponent(text)
}

const filled = (path: string, parameters: Readonly<Record<string, unknown>>): string =>
  path.replace(/:([a-zA-Z]+)/g, (_, name: string) => segmentOf(name, parameters[name]))

/** Calls die with a `TypeError`, and send nothing, where a parameter of the path can't be a segment of it. */
export const readCalls =
  (request: Requests) =>
  <const Path extends ReadPath, Query extends object>(
    path: Path,
    parameters: { readonly [Name in PathParameter<Path>]: string | number },
    query: QueryOf<Path, Query>
  ): Effect.Effect<ReadAnswer<Path>, CallFailure> =>
    Effect.suspend(() => request<ReadAnswer<Path>>(filled(path, parameters), query))
