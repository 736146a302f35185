/**
 * The whole API as one Effect app: checks the target, finds the route, runs the handler, and makes of whatever comes
 * out a response of the right shape, with its headers, and a line in the log. No failure and no defect passes it.
 */
import { Cause, Context, Effect, Either, Encoding, Layer, type Option } from "effect"
import {
  type Deliveries,
  Directory,
  Entropy,
  type InvalidParameter,
  LeadQueries,
  type LeadStore,
  type Parameters,
  type RateLimitExceeded,
  RateWindows,
  StoreUnavailable
} from "@lead-signals/domain"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Admission } from "./Admission.ts"
import * as Answers from "./Answers.ts"
import * as Documents from "./Documents.ts"
import { fastHandlers, handlers, RoutedApi } from "./endpoints/Api.ts"
import type { DefaultRateLimit } from "./endpoints/Keys.ts"
import { errorBody, type Told, toldOf } from "./contract/Failures.ts"
import { admit, operatorAccess, type OperatorToken } from "./handlers/Access.ts"
import { RequestObserver } from "./RequestObserver.ts"
import type { RequestRecord } from "./RequestRecord.ts"
import * as Routes from "./Routes.ts"
import * as Target from "./Target.ts"
import { logUnavailable } from "./UnavailableLog.ts"

/** What a host must bring to serve the API. */
export type Requirements =
  LeadStore | Deliveries | Directory | RateWindows | Entropy | OperatorToken | DefaultRateLimit

const requestIdBytes = 12

const tellOperator = HttpApiBuilder.middleware(
  (inner) =>
    Effect.tapError(inner as HttpApp.Default<unknown>, (failure) =>
      (failure as { readonly _tag?: unknown } | null)?._tag === "@lead-signals/domain/StoreUnavailable"
        ? logUnavailable(failure as StoreUnavailable)
        : Effect.void
    ) as typeof inner
)

const routes = Layer.mergeAll(tellOperator, Documents.layer).pipe(
  Layer.provideMerge(HttpApiBuilder.api(RoutedApi)),
  Layer.provide(handlers),
  Layer.provide(Admission.layer),
  Layer.provide(operatorAccess),
  Layer.provideMerge(HttpApiBuilder.Router.Live),
  Layer.provideMerge(HttpApiBuilder.Middleware.layer)
)

const seconds = (instant: number): string => String(Math.ceil(instant / 1000))

/** What every response says of itself. Answers hold personal data: no cache may keep them, unless they say otherwise. */
const headersOf = (status: number, { id, rate }: RequestRecord): Record<string, string> => {
  const headers: Record<string, string> = {
    "x-request-id": id,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff"
  }
  if (rate !== null) {
    headers["x-ratelimit-limit"] = String(rate.limit)
    headers["x-ratelimit-remaining"] = String(rate.remaining)
    headers["x-ratelimit-reset"] = seconds(rate.resetAt)
    if (status === 429) headers["retry-after"] = String(rate.retryAfterSeconds)
  }
  if (status === 401) headers["www-authenticate"] = "Bearer"
  return headers
}

/**
 * A key on a path or method that doesn't exist, or on a target that can't be read, spends its request, and is told what is
 * left. [RATE-2]
 */
const spendElsewhere = (request: HttpServerRequest.HttpServerRequest, record: RequestRecord) =>
  Effect.catchAll(
    Effect.asSome(admit(request.headers.authorization, record)),
    (failure): Effect.Effect<Option.Option<never>, RateLimitExceeded> =>
      failure._tag === "@lead-signals/domain/RateLimitExceeded" ? Effect.fail(failure) : Effect.succeedNone
  )

const notAllowed = (allow: string) =>
  HttpServerResponse.setHeader(
    Answers.error(405, "method_not_allowed", Answers.methodNotAllowedMessage(allow)),
    "allow",
    allow
  )

const internal: Told = { status: 500, code: "internal_error", message: Answers.internalMessage }
const nothing: Told = {
  status: 404,
  code: "not_found",
  message: "There is nothing at this path; GET /openapi.json lists what there is."
}

/** What a client is told of the failure or defect; what the operator should know is logged. */
const told = (cause: Cause.Cause<unknown>): Effect.Effect<Told> => {
  const failure = Cause.squash(cause) as { readonly _tag?: unknown } | null
  if (failure?._tag === "RouteNotFound") return Effect.succeed(nothing)
  const known = Cause.isDie(cause) ? null : toldOf(failure)
  if (known === null) return Effect.as(logDefect(cause), internal)
  return failure?._tag === "@lead-signals/domain/StoreUnavailable"
    ? Effect.as(logUnavailable(failure as StoreUnavailable), known)
    : Effect.succeed(known)
}

/** A defect's message may hold what it choked on: only its kind and where it arose are logged. [PII-2] */
const logDefect = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  const defect = Cause.squash(cause)
  const frames =
    defect instanceof Error ? (defect.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)) : []
  return Effect.logError("internal error").pipe(
    Effect.annotateLogs({
      defect: defect instanceof Error ? defect.name : typeof defect,
      at: frames
        .slice(0, 8)
        .map((line) => line.trim())
        .join(" < ")
    })
  )
}

/** The request's line in the log, and what the host is told of it. Null: it went away before it was answered. */
const logged = (
  { id, keyId, method, parameters, route, startedAt }: RequestRecord,
  status: number | null,
  observer: typeof RequestObserver.Service
): Effect.Effect<void> =>
  Effect.clockWith((clock) => {
    const durationMillis = clock.unsafeCurrentTimeMillis() - startedAt
    const log = (status ?? 499) >= 500 ? Effect.logWarning : Effect.logInfo
    const line = log("request", {
      requestId: id,
      method,
      route: route ?? "none",
      status: status ?? "aborted",
      durationMillis,
      ...(keyId === null ? {} : { keyId })
    })
    return Effect.zipRight(
      line,
      observer.answered({ method, route, status, durationMillis, parameters, requestId: id })
    )
  })

/** As a request begins. */
const recordWith = (id: string, method: string): Effect.Effect<RequestRecord> =>
  Effect.clockWith((clock) =>
    Effect.succeed({
      id,
      startedAt: clock.unsafeCurrentTimeMillis(),
      method,
      route: null,
      keyId: null,
      parameters: [],
      rate: null
    })
  )

/** The line in the log of what never became a request. [ERR-4] */
export const logRefused = (id: string, status: number): Effect.Effect<void> =>
  Effect.flatMap(RequestObserver, (observer) =>
    Effect.flatMap(recordWith(id, "none"), (record) => logged(record, status, observer))
  )

/** Answers whatever comes of the work, and logs it. */
const answered = <A, R>(
  record: RequestRecord,
  observer: typeof RequestObserver.Service,
  work: Effect.Effect<A, unknown, R>,
  { ofTold, statusOf }: { readonly statusOf: (answer: A) => number; readonly ofTold: (told: Told) => A }
): Effect.Effect<A, never, R> => {
  const answer = (answer: A) => Effect.as(logged(record, statusOf(answer), observer), answer)
  const whole = Effect.uninterruptibleMask((restore) =>
    Effect.matchCauseEffect(restore(work), {
      onSuccess: answer,
      onFailure: (cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.zipRight(logged(record, null, observer), Effect.failCause(cause as Cause.Cause<never>))
          : Effect.flatMap(
              Effect.annotateLogs(Effect.map(told(cause), ofTold), { requestId: record.id }),
              answer
            )
    })
  )
  return observer.around(`${record.method} ${record.route ?? "none"}`, whole)
}

const recordOf = (method: string): Effect.Effect<RequestRecord, never, Entropy> =>
  Effect.flatMap(Entropy, (entropy) =>
    Effect.flatMap(entropy.bytes(requestIdBytes), (bytes) =>
      recordWith(Encoding.encodeBase64Url(bytes), method)
    )
  )

/** A request as it was sent. */
export interface Asked {
  readonly method: string
  readonly target: string
  readonly authorization: string | undefined
}

const knownParameters = new Set<string>([
  ...LeadQueries.listParameters,
  "includeEngagementDetail",
  "startDate",
  "endDate"
])

/** Names alone: values can be personal data, and so can a name that nobody knows. [PII-2] */
const namesOf = (entries: Parameters.Entries): ReadonlyArray<string> =>
  [...new Set(entries.map(([name]) => name))].filter((name) => knownParameters.has(name)).sort()

/** The answer to what a client reads; null when that is not what is asked. */
export type Quick = (asked: Asked) => Effect.Effect<Answers.Reply, never, Requirements> | null

const replyOf = (record: RequestRecord, status: number, body: Answers.ReplyBody): Answers.Reply => ({
  status,
  headers: headersOf(status, record),
  body
})

const asReply = (record: RequestRecord) => ({
  statusOf: ({ status }: Answers.Reply): number => status,
  ofTold: ({ code, message, status }: Told): Answers.Reply =>
    replyOf(record, status, JSON.stringify(errorBody(code, message)))
})

const quick =
  (observer: typeof RequestObserver.Service): Quick =>
  ({ authorization, method, target }) => {
    if (method !== "GET" && method !== "HEAD") return null
    const parsed = Target.parse(target)
    if (Either.isLeft(parsed)) return null
    const { path, query } = parsed.right
    const match = Routes.match(method, path)
    const read = match.found === "route" ? fastHandlers.get(match.pattern) : undefined
    if (match.found !== "route" || read === undefined) return null
    return Effect.flatMap(recordOf(method), (record) => {
      record.route = match.pattern
      const entries = Target.parameters(query)
      record.parameters = namesOf(entries)
      const reading = Effect.flatMap(admit(authorization, record), ({ brandId }) =>
        Effect.map(read({ brandId, params: match.params, query: entries }), (shown) =>
          replyOf(record, 200, shown)
        )
      )
      return answered<Answers.Reply, Requirements>(record, observer, reading, asReply(record))
    })
  }

/**
 * What is answered before there is a store: that the process lives, and all else that it is to be asked again. No key is
 * looked up and no body read. [HEALTH-1, HEALTH-2]
 */
export const starting = ({
  method,
  target
}: Pick<Asked, "method" | "target">): Effect.Effect<Answers.Reply, never, Entropy> =>
  Effect.gen(function* () {
    const [observer, record] = yield* Effect.all([RequestObserver, recordOf(method)])
    const parsed = Target.parse(target)
    const match = Either.isRight(parsed) ? Routes.match(method, parsed.right.path) : null
    if (match?.found === "route") record.route = match.pattern
    const work =
      record.route === "/health"
        ? Effect.succeed(replyOf(record, 200, JSON.stringify({ status: "ok" })))
        : Effect.fail(new StoreUnavailable({ reason: "the server is starting" }))
    return yield* answered(record, observer, work, asReply(record))
  })

/** Refuses a request by its head alone: no key is looked up and no body read. */
export const refused = (
  { method, target }: Pick<Asked, "method" | "target">,
  refusal: Told
): Effect.Effect<Answers.Reply, never, Entropy> =>
  Effect.gen(function* () {
    const [observer, record] = yield* Effect.all([RequestObserver, recordOf(method)])
    const match = Either.map(Target.parse(target), ({ path }) => Routes.match(method, path))
    if (Either.isRight(match) && match.right.found === "route") record.route = match.right.pattern
    const form = asReply(record)
    return yield* answered(record, observer, Effect.succeed(form.ofTold(refusal)), form)
  })

interface Routed {
  readonly target: Target.Target
  readonly match: Routes.Match
}

/** The platform's router ends a path where a semicolon stands as it is, and would take `/1;x` for `/1`. */
const routedPath = (path: string): string => path.replaceAll(";", "%3B")

/** Serves one request whose target has been found good, or says why it isn't. */
const serve = (
  inner: HttpApp.Default<unknown>,
  request: HttpServerRequest.HttpServerRequest,
  record: RequestRecord,
  routed: Either.Either<Routed, InvalidParameter>
): HttpApp.Default<unknown, Directory | RateWindows> =>
  Effect.gen(function* () {
    if (Either.isLeft(routed)) {
      yield* spendElsewhere(request, record)
      return yield* routed.left
    }
    const { match, target } = routed.right
    if (match.found === "nothing" || match.found === "path") {
      yield* spendElsewhere(request, record)
      return match.found === "nothing"
        ? Answers.error(nothing.status, nothing.code, nothing.message)
        : notAllowed(match.allow)
    }
    const path = routedPath(target.path)
    const url = target.query === "" ? path : `${path}?${target.query}`
    return yield* url === request.url
      ? inner
      : Effect.provideService(inner, HttpServerRequest.HttpServerRequest, request.modify({ url }))
  })

const outermost = (
  inner: HttpApp.Default<unknown>,
  context: Context.Context<Requirements>,
  quickly: Quick,
  observer: typeof RequestObserver.Service
): HttpApp.Default =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { headers, method, url } = request
    const reading = quickly({ method, target: url, authorization: headers.authorization })
    if (reading !== null) return Answers.ofReply(yield* Effect.provide(reading, context))
    const record = yield* Effect.provide(recordOf(method), context)
    const routed = Either.map(Target.parse(url), (target) => ({
      target,
      match: Routes.match(method, target.path)
    }))
    if (Either.isRight(routed) && routed.right.match.found === "route") {
      record.route = routed.right.match.pattern
    }
    // These alone: the host's own scope must not stand in for the request's.
    const served = Effect.provide(
      serve(inner, request, record, routed),
      Context.pick(Directory, RateWindows)(context)
    ) as Effect.Effect<HttpServerResponse.HttpServerResponse, unknown>
    return yield* answered(
      record,
      observer,
      Effect.annotateLogs(
        Effect.map(served, (response) => completed(response, record)),
        { requestId: record.id }
      ),
      {
        statusOf: ({ status }) => status,
        ofTold: ({ code, message, status }) => completed(Answers.error(status, code, message), record)
      }
    )
  }) as HttpApp.Default

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
 * The API over what the host brings: whole, and what clients read of it without the platform's request and response. That takes
 * what the host brings from whoever runs it, since handing it in costs more than a small request.
 */
export const service: Effect.Effect<
  { readonly app: HttpApp.Default; readonly quick: Quick },
  never,
  Requirements
> = Effect.gen(function* () {
  const context = yield* Effect.context<Requirements>()
  const built = yield* HttpApiBuilder.httpApp.pipe(
    // The platform's router takes a path with a longer parameter for one that does not exist; its own limit is 100 characters.
    HttpRouter.withRouterConfig({ maxParamLength: Target.greatestTargetBytes }),
    Effect.provide(routes),
    Effect.provide(context)
  )
  const observer = yield* RequestObserver
  const quickly = quick(observer)
  return { quick: quickly, app: outermost(built as HttpApp.Default<unknown>, context, quickly, observer) }
})

/** Builds the app over what the host brings. */
export const make: Effect.Effect<HttpApp.Default, never, Requirements> = Effect.map(service, ({ app }) => app)
