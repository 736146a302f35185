/**
 * A row of the table of endpoints: method, path, decoding, use case, documented schemas and words of one endpoint. Routes, the
 * fast path, the OpenAPI document and the types of clients derive from the rows; `Api.ts` collects them.
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
import type { FieldWords } from "../contract/FieldWords.ts"
import type {
  Forbidden,
  InvalidCredential,
  PayloadTooLarge,
  RequestTimeout,
  UnsupportedMediaType
} from "../contract/Failures.ts"
import { allIgnored, withWarnings } from "./Warnings.ts"

type AnyDeclared = HttpApiEndpoint.HttpApiEndpoint.Any
type Declaration = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
type Payload<Declared extends AnyDeclared> = HttpApiEndpoint.HttpApiEndpoint.Payload<Declared>
type Success<Declared extends AnyDeclared> = HttpApiEndpoint.HttpApiEndpoint.Success<Declared>

/** What the OpenAPI document says of an endpoint, besides its schemas. */
export interface Documentation {
  readonly summary: string
  readonly description: string
  /** The successful response. */
  readonly answer: string
  /** The request's body; absent where there is none. */
  readonly body?: string
}

/** The same with what the fields of the body mean. */
export interface BodyDocumentation<Body> extends Documentation {
  readonly fields?: FieldWords<Body>
}

interface Row<Declared extends AnyDeclared> {
  /** Method, path, and the schemas of parameters, body and answers. */
  readonly declared: Declared
  readonly documentation: BodyDocumentation<any>
}

/** Every failure that an operator's endpoint declares; `contract/Failures.ts` has their statuses. */
type EndpointFailure =
  | CursorExpired
  | Forbidden
  | InvalidParameter
  | InvalidCredential
  | NotFound
  | PayloadTooLarge
  | RateLimitExceeded
  | RequestTimeout
  | StoreUnavailable
  | UnsupportedMediaType

/** A request of the declared endpoint. */
interface EndpointRequest<Declared extends AnyDeclared> {
  readonly path: HttpApiEndpoint.HttpApiEndpoint.PathParsed<Declared>
  /** Reads and decodes the body by the declared schema. */
  readonly body: Effect.Effect<
    Payload<Declared>,
    InvalidParameter | PayloadTooLarge | RequestTimeout | UnsupportedMediaType,
    HttpServerRequest.HttpServerRequest
  >
  /** The bytes of the body, without decoding them; of any type where the declaration has no body. */
  readonly bodyBytes: Effect.Effect<
    Uint8Array,
    InvalidParameter | PayloadTooLarge | RequestTimeout | UnsupportedMediaType,
    HttpServerRequest.HttpServerRequest
  >
  /** Decodes bytes as `body` does. */
  readonly decodeBody: (bytes: Uint8Array) => Effect.Effect<Payload<Declared>, InvalidParameter>
  readonly request: HttpServerRequest.HttpServerRequest
}

/** An endpoint that the platform's router serves. */
export interface RoutedEndpoint<Declared extends AnyDeclared, R> extends Row<Declared> {
  /**
   * Gives the body of the answer, which the declared schema types and which is sent as JSON with its status, or a whole response
   * where the body is no JSON, or JSON already.
   */
  handle(
    request: EndpointRequest<Declared>
  ): Effect.Effect<Success<Declared> | HttpServerResponse.HttpServerResponse, EndpointFailure, R>
}

/** A request of an API client whose key is good. */
export interface FastRequest {
  /** The key's, and the only one that the client can see. [AUTH-3] */
  readonly brandId: BrandId
  readonly params: Readonly<Record<string, string>>
  readonly query: Parameters.Entries
  /** The id of the key that the request bears. */
  readonly keyId: ApiKey["id"]
  /** Fails when the key, or the session that stands for it, no longer opens the call. [CHG-6] */
  readonly checkKey: Effect.Effect<void, InvalidApiKey | StoreUnavailable, KeyStore>
  /** Where requests wait that may. */
  readonly waits: ChangeWaits
}

/** The body of the answer, in JSON. */
export type FastHandler = (
  request: FastRequest
) => Effect.Effect<
  ResponseBody,
  InvalidParameter | InvalidApiKey | NotFound | CursorExpired | StoreUnavailable,
  LeadStore | CampaignStore | SignalStore | BrandStore | KeyStore
>

/**
 * An endpoint that is served without the platform's router, whose decoding it does not use: what API clients read is most of all
 * requests.
 */
export interface FastEndpoint<Declared extends AnyDeclared, Path extends string> extends Row<Declared> {
  /** As it is declared, which the platform's types do not keep. */
  readonly path: Path
  /** What a key must be let read. [AUTH-10] */
  readonly scope: KeyScope
  /** Whether the answer is a list of leads, which the audit log keeps where a browser's session reads it. [AUD-1] */
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

/** Warns of the query where the operation takes no parameters; those that take some warn by themselves. [LIST-10] */
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

/** A row for the platform's router, whose answers are what `handle` gives. */
export const routed = <Declared extends AnyDeclared, R>(
  declared: Declared,
  {
    handle,
    ...documentation
  }: BodyDocumentation<Payload<Declared>> & Pick<RoutedEndpoint<Declared, R>, "handle">
): RoutedEndpoint<Declared, R> => ({ declared: documented(declared, documentation), documentation, handle })

/** A row for the platform's router, with warnings of parameters that it does not take. */
export const endpoint = <Declared extends AnyDeclared, R>(
  declared: Declared,
  row: BodyDocumentation<Payload<Declared>> & Pick<RoutedEndpoint<Declared, R>, "handle">
): RoutedEndpoint<Declared, R> => routed(declared, { ...row, handle: warned(declared, row.handle) })

/** A row for the fast path. */
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

/** Rows by the endpoint's name, in the order of the document. */
export type Rows = Readonly<Record<string, Row<any>>>

/** The endpoints of the rows, as the platform's types have them. */
export type DeclaredOf<Table extends Rows> = Table[keyof Table]["declared"]

/** The rows as a group of the platform's, before it has failures and middleware. */
export const groupOf = <const Id extends string, Table extends Rows, const TopLevel extends boolean = false>(
  id: Id,
  table: Table,
  options?: { readonly topLevel?: TopLevel }
): HttpApiGroup.HttpApiGroup<Id, DeclaredOf<Table>, never, never, TopLevel> =>
  Object.values(table).reduce(
    (group, { declared }) => group.add(declared),
    HttpApiGroup.make(id, options) as unknown as HttpApiGroup.HttpApiGroup<string, any>
  ) as never

/** The response with an answer of the endpoint. */
export const responseTo = (declared: Declaration) => {
  const status = HttpApiSchema.getStatusSuccess(declared.successSchema)
  return (answer: unknown): HttpServerResponse.HttpServerResponse => {
    if (HttpServerResponse.isServerResponse(answer)) return answer
    return answer === undefined ? noContent : json(answer, status)
  }
}

/** Handles the request as it came: bodies are read by rules of this package, with their own limits and messages. */
const rawHandlerOf = ({ declared, handle }: RoutedEndpoint<any, any>) => {
  const respond = responseTo(declared as Declaration)
  const payload = (declared as Declaration).payloadSchema as Option.Option<Schema.Schema<any, any>>
  const [bodyBytes, decodeBody] = Option.match(payload, {
    // Nothing but an Idempotency-Key looks at the body of a call that takes none. [IDEM-2]
    onNone: () => [Body.receiveAny, () => Effect.void] as const,
    onSome: (schema) => [Body.receive, Body.decoding(schema)] as const
  })
  const body = Option.isNone(payload) ? Effect.void : Effect.flatMap(Body.receive, decodeBody)
  return ({ path, request }: { readonly path: never; readonly request: never }) =>
    Effect.map(
      handle({ path, request, bodyBytes, body: body as never, decodeBody: decodeBody as never }),
      respond
    )
}

type NeedsOf<Each> = Each extends RoutedEndpoint<any, infer R> ? R : never

/** Serves the rows as a group of the API. */
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
