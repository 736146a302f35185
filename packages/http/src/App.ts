/**
 * The whole API as one Effect app: checks the target, finds the route, runs the handler, and turns whatever comes out into a
 * response of the right shape, with its headers, and a line in the log.
 */
import { Context, Effect, Either, Layer, Option } from "effect"
import {
  Entropy,
  type InvalidParameter,
  KeyStore,
  type RateLimitExceeded,
  RateWindows,
  type StoreUnavailable
} from "@lead-signals/domain"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Admission } from "./Admission.ts"
import { Attention, makeAttention } from "./Attention.ts"
import { originOf } from "./ClientAddress.ts"
import { ChangeWaitLimits, ChangeWaits } from "./ChangeWaits.ts"
import * as ConsolePages from "./ConsolePages.ts"
import * as Documents from "./Documents.ts"
import { DrainState } from "./DrainState.ts"
import { handlers, RoutedApi } from "./endpoints/Api.ts"
import { EventStreams } from "./EventStreams.ts"
import { type FastPath, makeFastPath } from "./FastPath.ts"
import { AuditedKeyReads, KeyReads } from "./KeyReads.ts"
import * as McpPath from "./McpPath.ts"
import { admit, type Credentials, operatorAccess } from "./Authentication.ts"
import { logUnavailable } from "./RequestLog.ts"
import { RequestObserver } from "./RequestObserver.ts"
import { currentRecord, recordFrom, type RequestRecord } from "./RequestRecord.ts"
import type { Requirements } from "./Requirements.ts"
import { respond, unknownPath } from "./Respond.ts"
import { headersOf } from "./ResponseHeaders.ts"
import * as Responses from "./Responses.ts"
import * as Routes from "./Routes.ts"
import { makeSessions, Sessions } from "./Sessions.ts"
import { RefusedCredentials } from "./SessionTrail.ts"
import * as Target from "./Target.ts"

/** The router turns a failure into a response by itself; the operator's log still has to have it. */
const logStoreFailures = HttpApiBuilder.middleware(
  (inner) =>
    Effect.tapError(inner as HttpApp.Default<unknown>, (failure) =>
      (failure as { readonly _tag?: unknown } | null)?._tag === "@lead-signals/domain/StoreUnavailable"
        ? logUnavailable(failure as StoreUnavailable)
        : Effect.void
    ) as typeof inner
)

const routes = Layer.mergeAll(logStoreFailures, Documents.layer).pipe(
  Layer.provideMerge(HttpApiBuilder.api(RoutedApi)),
  Layer.provide(handlers),
  Layer.provide(Admission.layer),
  Layer.provide(EventStreams.layer),
  Layer.provide(operatorAccess),
  Layer.provideMerge(HttpApiBuilder.Router.Live),
  Layer.provideMerge(HttpApiBuilder.Middleware.layer)
)

/** What the app runs with: what the host brings, and what one server keeps. */
type Provided = Requirements | Sessions | Attention | RefusedCredentials

const credentialsOf = (request: HttpServerRequest.HttpServerRequest): Credentials => ({
  authorization: request.headers["authorization"],
  cookie: request.headers["cookie"],
  ...originOf(request)
})

/** Authenticates the request's key and spends one request of its window. */
const admitted = (
  request: HttpServerRequest.HttpServerRequest,
  record: RequestRecord,
  context: Context.Context<Provided>
) =>
  Effect.provide(
    admit(credentialsOf(request), Context.get(context, Sessions), Context.get(context, Attention), record),
    Context.pick(KeyStore, RateWindows)(context)
  )

/**
 * A key on a path or method that doesn't exist, or on a target that can't be read, spends its request, and the
 * response has what is left. [RATE-2, ERR-9]
 */
const spendElsewhere = (
  request: HttpServerRequest.HttpServerRequest,
  record: RequestRecord,
  context: Context.Context<Provided>
) =>
  Effect.catchAll(
    Effect.asSome(admitted(request, record, context)),
    (failure): Effect.Effect<Option.Option<never>, RateLimitExceeded> =>
      failure._tag === "@lead-signals/domain/RateLimitExceeded" ? Effect.fail(failure) : Effect.succeedNone
  )

const notAllowed = (allow: string) =>
  HttpServerResponse.setHeader(
    Responses.error(405, "method_not_allowed", Responses.methodNotAllowedMessage(allow)),
    "allow",
    allow
  )

interface Routed {
  readonly target: Target.Target
  readonly match: Routes.Match
}

/** The platform's router ends a path where a semicolon stands as it is, and would take `/1;x` for `/1`. */
const routedPath = (path: string): string => path.replaceAll(";", "%3B")

/** What serves requests, and what it is served with. */
interface Service {
  /** The platform's routes. */
  readonly inner: HttpApp.Default<unknown>
  readonly context: Context.Context<Provided>
  readonly fastPath: FastPath
  readonly observer: typeof RequestObserver.Service
  readonly consoleOf: ConsolePages.Pages
  readonly mcpPath: McpPath.McpPath
}

/** Serves one request whose target has been found good, or says why it isn't. */
const serve = (
  { context, inner }: Pick<Service, "context" | "inner">,
  request: HttpServerRequest.HttpServerRequest,
  record: RequestRecord,
  routed: Either.Either<Routed, InvalidParameter>
): HttpApp.Default<unknown> =>
  Effect.gen(function* () {
    if (Either.isLeft(routed)) {
      yield* spendElsewhere(request, record, context)
      return yield* routed.left
    }
    const { match, target } = routed.right
    if (match.found === "nothing" || match.found === "path") {
      yield* spendElsewhere(request, record, context)
      return match.found === "nothing"
        ? Responses.error(unknownPath.status, unknownPath.code, unknownPath.message)
        : notAllowed(match.allow)
    }
    const path = routedPath(target.path)
    const url = target.query === "" ? path : `${path}?${target.query}`
    return yield* Effect.locally(
      url === request.url
        ? inner
        : Effect.provideService(inner, HttpServerRequest.HttpServerRequest, request.modify({ url })),
      currentRecord,
      record
    )
  })

/** Chooses what serves a request. */
const outermost = ({ consoleOf, context, fastPath, inner, mcpPath, observer }: Service): HttpApp.Default => {
  const app: HttpApp.Default = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { method, url } = request
    const fast = fastPath({ method, target: url, ...credentialsOf(request) })
    // `@effect/platform` runs an app without interruption, until a router finds the route: a wait would never end.
    if (fast !== null) return Responses.fromRaw(yield* Effect.interruptible(Effect.provide(fast, context)))
    const record = yield* recordFrom(Context.get(context, Entropy), method)
    const parsed = Target.parse(url)
    const page = Either.isRight(parsed) ? consoleOf(request, parsed.right.path) : null
    const routed = Either.map(parsed, (target) => ({ target, match: Routes.match(method, target.path) }))
    const isMcp = mcpPath !== null && Either.isRight(parsed) && parsed.right.path === McpPath.path
    if (isMcp) record.route = McpPath.path
    else if (page !== null) record.route = ConsolePages.pattern
    else if (Either.isRight(routed) && routed.right.match.found === "route") {
      record.route = routed.right.match.pattern
    }
    const message = isMcp
      ? method === "POST"
        ? Effect.provide(
            mcpPath(request, record, { app, fastPath, admit: admitted(request, record, context) }),
            context
          )
        : Effect.as(spendElsewhere(request, record, context), notAllowed("POST"))
      : null
    const served = (message ?? page ?? serve({ context, inner }, request, record, routed)) as Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      unknown
    >
    return yield* respond(
      record,
      observer,
      Effect.annotateLogs(
        Effect.map(served, (response) => completed(response, record)),
        { requestId: record.id }
      ),
      {
        statusOf: ({ status }) => status,
        fromError: ({ code, message, status }) => completed(Responses.error(status, code, message), record)
      }
    )
  }) as HttpApp.Default
  return app
}

const completed = (response: HttpServerResponse.HttpServerResponse, record: RequestRecord) => {
  const caching = response.headers["cache-control"]
  const headers = headersOf(response.status, record)
  return HttpServerResponse.setHeaders(
    response,
    caching === undefined ? headers : { ...headers, "cache-control": caching }
  )
}

/** Takes the runtime that requests run on without Effect's own spans, which hold the target, query and all. [PII-2] */
export const untraced: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.locally(
  HttpMiddleware.currentTracerDisabledWhen,
  () => true
)

/**
 * The API over what the host brings: whole, and its fast path alone. The fast path takes what the host brings from the caller that runs
 * it, since providing it costs more than a small request.
 */
export const service: Effect.Effect<
  { readonly app: HttpApp.Default; readonly fastPath: FastPath },
  never,
  Requirements
> = Effect.gen(function* () {
  const given = yield* Effect.context<Requirements>()
  const sessions = Option.getOrNull(yield* Effect.serviceOption(Sessions)) ?? (yield* makeSessions)
  const attention = yield* makeAttention
  const refused = yield* RefusedCredentials.make
  const context = given.pipe(
    Context.add(Sessions, sessions),
    Context.add(Attention, attention),
    Context.add(RefusedCredentials, refused)
  )
  const built = yield* HttpApiBuilder.httpApp.pipe(
    // The platform's router takes a path with a longer parameter for one that does not exist; its own limit is 100 characters. Unless
    // letter case counts, it looks for the end of a parameter in the path in lower case, which can be longer: `İ` has two letters there.
    HttpRouter.withRouterConfig({ maxParamLength: Target.maxTargetBytes, caseSensitive: true }),
    Effect.provide(routes),
    Effect.provide(context)
  )
  const observer = yield* RequestObserver
  const waits = new ChangeWaits(yield* ChangeWaitLimits, yield* DrainState)
  const keyReads = (yield* AuditedKeyReads) ? new KeyReads() : null
  const fastPath = makeFastPath({
    observer,
    entropy: Context.get(given, Entropy),
    sessions,
    attention,
    waits,
    keyReads
  })
  const consoleOf = yield* ConsolePages.make
  const mcpPath = yield* McpPath.make
  return {
    fastPath,
    app: outermost({
      inner: built as HttpApp.Default<unknown>,
      context,
      fastPath,
      observer,
      consoleOf,
      mcpPath
    })
  }
})

/** The whole API as an Effect app over what the host brings. The app never fails: every failure is a response. */
export const make: Effect.Effect<HttpApp.Default, never, Requirements> = Effect.map(service, ({ app }) => app)
