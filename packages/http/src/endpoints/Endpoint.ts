/**
 * The rows of the table of endpoints. A row declares everything of one endpoint: method, path, decoding, use case, documented schemas and
 * descriptions. Routes, the fast path, the OpenAPI document and the types of clients derive from the rows, which `Api.ts` collects.
 */
import type {
  ApiKey,
  BrandId,
  BrandStore,
  CampaignStore,
  CursorExpired,
  InvalidApiKey,
  KeyScope,
  KeyStore,
  InvalidParameter,
  LeadStore,
  NotFound,
  Parameters,
  RateLimitExceeded,
  SignalStore,
  StoreUnavailable
} from "@lead-signals/domain"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import { Effect, type Layer, Option, type Schema, type Scope } from "effect"
import { json, noContent, type ResponseBody } from "../Responses.ts"
import * as Body from "../Body.ts"
import * as Target from "../Target.ts"
import type { ChangeWaits } from "../ChangeWaits.ts"
import type { CurrentOperator } from "../CurrentOperator.ts"
import type { FieldDescriptions } from "../contract/FieldDescriptions.ts"
import type {
  Forbidden,
  InvalidCredential,
  InvalidOperatorToken,
  PayloadTooLarge,
  RequestTimeout,
  UnsupportedMediaType
} from "../contract/Failures.ts"
import { allIgnored, withWarnings } from "./Warnings.ts"

type AnyDeclared = HttpApiEndpoint.HttpApiEndpoint.Any
type Declaration = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
type Payload<Declared extends AnyDeclared> = HttpApiEndpoint.HttpApiEndpoint.Payload<Declared>
type Success<Declared extends AnyDeclared> = HttpApiEndpoint.HttpApiEndpoint.Success<Declared>

/** The descriptions of an endpoint in the OpenAPI document. */
export interface Documentation {
  /** One line, as a heading. */
  readonly summary: string
  /** Markdown of any length. */
  readonly description: string
  /** Describes the successful response. */
  readonly answer: string
  /** Describes the request's body; absent where there is none. */
  readonly body?: string
}

/** The descriptions of an endpoint that takes a body. */
export interface BodyDocumentation<Body> extends Documentation {
  /** The descriptions of the body's fields, by their paths; absent where the schema has them. */
  readonly fields?: FieldDescriptions<Body>
}

interface Row<Declared extends AnyDeclared> {
  /** Method, path, and the schemas of parameters, body and responses. */
  readonly declared: Declared
  readonly documentation: BodyDocumentation<any>
}

/** Every failure that an operator's endpoint declares; `contract/Failures.ts` has their statuses. */
type EndpointFailure =
  | CursorExpired
  | Forbidden
  | InvalidParameter
  | InvalidCredential
  | InvalidOperatorToken
  | NotFound
  | PayloadTooLarge
  | RateLimitExceeded
  | RequestTimeout
  | StoreUnavailable
  | UnsupportedMediaType

/** Why a call is not permitted any more whose body has taken a while. [OPER-11] */
export type PermissionFailure = InvalidOperatorToken | Forbidden | NotFound | StoreUnavailable

type BodyFailure =
  | InvalidParameter
  | PayloadTooLarge
  | RequestTimeout
  | UnsupportedMediaType
  | PermissionFailure

/** A request of the declared endpoint. */
interface EndpointRequest<Declared extends AnyDeclared> {
  /** The parameters of the path, decoded. */
  readonly path: HttpApiEndpoint.HttpApiEndpoint.PathParsed<Declared>
  /** Reads the body and decodes it by the declared schema. */
  readonly body: Effect.Effect<Payload<Declared>, BodyFailure, HttpServerRequest.HttpServerRequest>
  /** Reads the bytes of the body without decoding them. An endpoint without a declared body accepts every media type here. */
  readonly bodyBytes: Effect.Effect<Uint8Array, BodyFailure, HttpServerRequest.HttpServerRequest>
  /** Decodes bytes as `body` does. */
  readonly decodeBody: (bytes: Uint8Array) => Effect.Effect<Payload<Declared>, InvalidParameter>
  /** The request of the platform. */
  readonly request: HttpServerRequest.HttpServerRequest
  /**
   * Fails where the operator may not make the call any more, whose token was revoked or has expired. The readers of the whole body check it by
   * themselves, so it is for a handler that reads piece by piece. A call that takes no operator's credential always succeeds.
   */
  readonly checkPermission: Effect.Effect<void, PermissionFailure>
}

/** An endpoint that the platform's router serves. */
export interface RoutedEndpoint<Declared extends AnyDeclared, R> extends Row<Declared> {
  /**
   * Answers the request: with a value of the declared schema, which is sent as JSON with the declared status, or with a whole response where the
   * body is not JSON, or is JSON text already.
   */
  handle(
    request: EndpointRequest<Declared>
  ): Effect.Effect<Success<Declared> | HttpServerResponse.HttpServerResponse, EndpointFailure, R>
}

/** A request of an API client that is authenticated and permitted. */
export interface FastRequest {
  /** The brand of the key, the only one that the client can read. [AUTH-3] */
  readonly brandId: BrandId
  /** The parameters of the path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>
  /** The query parameters, in the order in which they were sent. */
  readonly query: Parameters.Entries
  /** The id of the request's key. */
  readonly keyId: ApiKey["id"]
  /** Checks the key, or the session that stands for it, again: fails when it is no longer valid. For a request that has waited. [CHG-6] */
  readonly checkKey: Effect.Effect<void, InvalidApiKey | StoreUnavailable, KeyStore>
  /** The requests that wait for changes, which share their reads. */
  readonly waits: ChangeWaits
}

/** Answers a request of the fast path with a body in JSON. */
export type FastHandler = (
  request: FastRequest
) => Effect.Effect<
  ResponseBody,
  InvalidParameter | InvalidApiKey | NotFound | CursorExpired | StoreUnavailable,
  LeadStore | CampaignStore | SignalStore | BrandStore | KeyStore
>

/**
 * An endpoint of the fast path, which serves it without the platform's router and decoding. Most requests are reads of API clients, so these are
 * served in this way.
 */
export interface FastEndpoint<Declared extends AnyDeclared, Path extends string> extends Row<Declared> {
  /** The pattern of the path. The platform's types do not keep it. */
  readonly path: Path
  /** The scope that a key needs. [AUTH-10] */
  readonly scope: KeyScope
  /** Whether it answers a list of leads: then the audit log gets an entry where a browser's session reads it. [AUD-1] */
  readonly listsLeads: boolean
  readonly read: FastHandler
}

const documented = <Declared extends AnyDeclared>(
  declared: Declared,
  { description, summary }: Documentation
): Declared =>
  (declared as unknown as Declaration)
    .annotate(OpenApi.Summary, summary)
    .annotate(OpenApi.Description, description) as unknown as Declared

/** Adds warnings of unknown parameters to the answers of an operation that takes none; the handlers of the others add their own. [LIST-10] */
export const warned = <Declared extends AnyDeclared, R>(
  declared: Declared,
  handle: RoutedEndpoint<Declared, R>["handle"]
): RoutedEndpoint<Declared, R>["handle"] =>
  Option.isSome((declared as unknown as Declaration).urlParamsSchema)
    ? handle
    : (call) =>
        Effect.map(handle(call), (answer) =>
          withWarnings(answer, allIgnored(Target.parametersOf(call.request.url)))
        )

/** Makes a row that the platform's router serves, without adding warnings to the answers of `handle`. */
export const routed = <Declared extends AnyDeclared, R>(
  declared: Declared,
  {
    handle,
    ...documentation
  }: BodyDocumentation<Payload<Declared>> & Pick<RoutedEndpoint<Declared, R>, "handle">
): RoutedEndpoint<Declared, R> => ({ declared: documented(declared, documentation), documentation, handle })

/** Makes a row that the platform's router serves, and adds the warnings of `warned`. */
export const endpoint = <Declared extends AnyDeclared, R>(
  declared: Declared,
  row: BodyDocumentation<Payload<Declared>> & Pick<RoutedEndpoint<Declared, R>, "handle">
): RoutedEndpoint<Declared, R> => routed(declared, { ...row, handle: warned(declared, row.handle) })

/** Makes a row of the fast path. */
export const fastEndpoint = <Declared extends AnyDeclared, const Path extends string>(
  path: Path,
  declare: (path: Path) => Declared,
  {
    listsLeads,
    read,
    scope,
    ...documentation
  }: Documentation & Pick<FastEndpoint<Declared, Path>, "read" | "scope" | "listsLeads">
): FastEndpoint<Declared, Path> => ({
  path,
  scope,
  listsLeads,
  declared: documented(declare(path), documentation),
  documentation,
  read
})

/** A table of endpoints: rows by the endpoint's name, in the order of the OpenAPI document. */
export type Rows = Readonly<Record<string, Row<any>>>

/** The declarations of a table's rows, as a type of the platform. */
export type DeclaredOf<Table extends Rows> = Table[keyof Table]["declared"]

/** Makes a group of the platform from a table, without failures and middleware. */
export const groupOf = <const Id extends string, Table extends Rows, const TopLevel extends boolean = false>(
  id: Id,
  table: Table,
  options?: { readonly topLevel?: TopLevel }
): HttpApiGroup.HttpApiGroup<Id, DeclaredOf<Table>, never, never, TopLevel> =>
  Object.values(table).reduce(
    (group, { declared }) => group.add(declared),
    HttpApiGroup.make(id, options) as unknown as HttpApiGroup.HttpApiGroup<string, any>
  ) as never

/** Makes the function that turns an answer of `handle` into a response: JSON with the declared status, 204 for none, or the response that it is. */
export const responseTo = (declared: Declaration) => {
  const status = HttpApiSchema.getStatusSuccess(declared.successSchema)
  return (answer: unknown): HttpServerResponse.HttpServerResponse => {
    if (HttpServerResponse.isServerResponse(answer)) return answer
    return answer === undefined ? noContent : json(answer, status)
  }
}

/** The platform's handler of a row. It leaves the body to this package, which has limits and messages of its own. */
const rawHandlerOf = ({ declared, handle }: RoutedEndpoint<any, any>) => {
  const respond = responseTo(declared as Declaration)
  const payload = (declared as Declaration).payloadSchema as Option.Option<Schema.Schema<any, any>>
  const [bodyBytes, decodeBody] = Option.match(payload, {
    // Where a call takes no body, only its Idempotency-Key needs the bytes that were sent. [IDEM-2]
    onNone: () => [Body.receiveAny, () => Effect.void] as const,
    onSome: (schema) => [Body.receive, Body.decoding(schema)] as const
  })
  const body = Option.isNone(payload) ? Effect.void : Effect.flatMap(Body.receive, decodeBody)
  return ({ path, request }: { readonly path: never; readonly request: never }) =>
    Effect.map(
      handle({
        path,
        request,
        bodyBytes,
        body: body as never,
        decodeBody: decodeBody as never,
        checkPermission: Effect.void
      }),
      respond
    )
}

type NeedsOf<Each> = Each extends RoutedEndpoint<any, infer R> ? R : never

/** The layer that serves a table as the group `id` of the API. */
export const served = <Id extends string, Table extends Readonly<Record<string, RoutedEndpoint<any, any>>>>(
  api: HttpApi.HttpApi<"lead-signals", any, any, any>,
  id: Id,
  table: Table
): Layer.Layer<
  HttpApiGroup.ApiGroup<"lead-signals", Id>,
  never,
  Exclude<NeedsOf<Table[keyof Table]>, HttpServerRequest.HttpServerRequest | CurrentOperator | Scope.Scope>
> =>
  HttpApiBuilder.group(api as unknown as HttpApi.HttpApi<"lead-signals", any>, id, (handlers) =>
    Object.values(table).reduce(
      (all: any, row) => all.handleRaw((row.declared as Declaration).name, rawHandlerOf(row)),
      handlers
    )
  ) as never
