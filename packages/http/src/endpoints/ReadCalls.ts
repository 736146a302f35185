/** What API clients call, as types that derive from the table: for clients, which import no code of this package. */
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type { leads } from "./Leads.ts"

type Row = (typeof leads)[keyof typeof leads]

/** The path of an endpoint that API clients call; parameters stand as `:name`. */
export type ReadPath = Row["path"]

type Declared<Path extends ReadPath> = Extract<Row, { readonly path: Path }>["declared"]

/** The body of the successful answer of an endpoint. */
export type ReadAnswer<Path extends ReadPath> = HttpApiEndpoint.HttpApiEndpoint.Success<Declared<Path>>

/** The names of an endpoint's query parameters. */
export type ReadParameter<Path extends ReadPath> = keyof HttpApiEndpoint.HttpApiEndpoint.UrlParams<
  Declared<Path>
> &
  string

/** The names of the parameters in a path, such as `id` in `/signals/leads/:id`. */
export type PathParameter<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParameter<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never
