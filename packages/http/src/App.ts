/**
 * The whole API as one Effect app: checks the target, finds the route, runs the handler, and makes of whatever comes
 * out a response of the right shape, with its headers, and a line in the log. No failure and no defect passes it.
 */
import { Clock, Cause, Context, Effect, Encoding, Exit, Layer, Option } from "effect"
import {
  type Deliveries,
  Directory,
  Entropy,
  type LeadStore,
  type RateLimit,
  type RateLimitExceeded,
  RateWindows,
  type StoreUnavailable
} from "@lead-signals/domain"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Answers from "./Answers.ts"
import { Api } from "./contract/Api.ts"
import * as Documents from "./Documents.ts"
import { unavailableMessage } from "./contract/Failures.ts"
import { admit, apiKeyAccess, operatorAccess, type OperatorToken } from "./handlers/Access.ts"
import { health } from "./handlers/Health.ts"
import { type DefaultRateLimit, operator } from "./handlers/Operator.ts"
import { reading } from "./handlers/Reading.ts"
import { webhooks } from "./handlers/Webhooks.ts"
import { type RequestRecord, within } from "./RequestRecord.ts"
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
  Layer.provideMerge(HttpApiBuilder.api(Api)),
  Layer.provide([reading, health, operator, webhooks]),
  Layer.provide([apiKeyAccess, operatorAccess]),
  Layer.provideMerge(HttpApiBuilder.Router.Live),
  Layer.provideMerge(HttpApiBuilder.Middleware.layer)
)

const seconds = (instant: number): string => String(Math.ceil(instant / 1000))

const rateHeaders = (rate: RateLimit.RateDecision): Record<string, string> => ({
  "x-ratelimit-limit": String(rate.limit),
  "x-ratelimit-remaining": String(rate.remaining),
  "x-ratelimit-reset": seconds(rate.resetAt)
})

/** What every response says of itself. Answers hold personal data: no cache may keep them. */
const complete = (
  response: HttpServerResponse.HttpServerResponse,
  record: RequestRecord
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(response, {
    "x-request-id": record.id,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(record.rate === null ? {} : rateHeaders(record.rate)),
    ...(response.status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(response.status === 429 && record.rate !== null
      ? { "retry-after": String(record.rate.retryAfterSeconds) }
      : {})
  })

/** A key on a path or method that doesn't exist spends its request, and is told what is left. [RATE-2] */
const spendElsewhere = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.catchAll(
    Effect.asSome(admit(request.headers.authorization)),
    (failure): Effect.Effect<Option.Option<never>, RateLimitExceeded> =>
      failure._tag === "@lead-signals/domain/RateLimitExceeded" ? Effect.fail(failure) : Effect.succeedNone
  )

const notFound = Answers.error(
  404,
  "not_found",
  "There is nothing at this path; GET /openapi.json lists what there is."
)

const notAllowed = (allow: string) =>
  HttpServerResponse.setHeader(
    Answers.error(405, "method_not_allowed", `This path takes ${allow}.`),
    "allow",
    allow
  )

/** The failures that can leave the router: those that no endpoint has in its contract, and defects. */
const recover = (cause: Cause.Cause<unknown>): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const failure = Cause.squash(cause) as { readonly _tag?: unknown; readonly message?: string }
  switch (failure?._tag) {
    case "RouteNotFound":
      return Effect.succeed(notFound)
    case "@lead-signals/domain/InvalidParameter":
      return Effect.succeed(Answers.error(400, "invalid_parameter", failure.message ?? ""))
    case "@lead-signals/domain/RateLimitExceeded":
      return Effect.succeed(Answers.error(429, "rate_limit_exceeded", failure.message ?? ""))
    case "@lead-signals/domain/StoreUnavailable":
      return Effect.as(
        logUnavailable(failure as StoreUnavailable),
        Answers.error(503, "unavailable", unavailableMessage)
      )
    default:
      return Effect.as(logDefect(cause), Answers.internalError)
  }
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

const levelOf = (status: number) => (status >= 500 ? Effect.logWarning : Effect.logInfo)

/** Serves one request whose target has been found good, or says why it isn't. */
const serve = (
  inner: HttpApp.Default<unknown>,
  request: HttpServerRequest.HttpServerRequest,
  record: RequestRecord
): HttpApp.Default<unknown, Directory | RateWindows> =>
  Effect.gen(function* () {
    const target = yield* Target.parse(request.url)
    const match = Routes.match(request.method, target.path)
    if (match.found === "nothing" || match.found === "path") {
      yield* spendElsewhere(request)
      return match.found === "nothing" ? notFound : notAllowed(match.allow)
    }
    record.route = match.pattern
    const url = target.query === "" ? target.path : `${target.path}?${target.query}`
    return yield* url === request.url
      ? inner
      : Effect.provideService(inner, HttpServerRequest.HttpServerRequest, request.modify({ url }))
  })

const outermost = (
  inner: HttpApp.Default<unknown>,
  context: Context.Context<Directory | RateWindows | Entropy>
): HttpApp.Default =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const entropy = Context.get(context, Entropy)
    const record: RequestRecord = {
      id: Encoding.encodeBase64Url(yield* entropy.bytes(requestIdBytes)),
      route: null,
      keyId: null,
      rate: null
    }
    const startedAt = yield* Clock.currentTimeMillis
    const served = serve(inner, request, record).pipe(
      // These alone: the host's own scope must not stand in for the request's.
      Effect.provide(Context.pick(Directory, RateWindows)(context)),
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause) ? Effect.failCause(cause as Cause.Cause<never>) : recover(cause)
      ),
      Effect.map((response) => complete(response, record)),
      Effect.onExit((exit) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const status = Exit.isSuccess(exit) ? exit.value.status : null
          return levelOf(status ?? 499)("request").pipe(
            Effect.annotateLogs({
              method: request.method,
              route: record.route ?? "none",
              status: status ?? "aborted",
              durationMillis: now - startedAt,
              ...(record.keyId === null ? {} : { keyId: record.keyId })
            })
          )
        })
      )
    )
    return yield* served.pipe(within(record), Effect.annotateLogs({ requestId: record.id }))
  }) as HttpApp.Default

/** Takes the runtime that requests run on without Effect's own spans, which hold the target, query and all. [PII-2] */
export const untraced: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.locally(
  HttpMiddleware.currentTracerDisabledWhen,
  () => true
)

/** Builds the app over what the host brings. */
export const make: Effect.Effect<HttpApp.Default, never, Requirements> = Effect.gen(function* () {
  const context = yield* Effect.context<Requirements>()
  const built = yield* HttpApiBuilder.httpApp.pipe(Effect.provide(routes), Effect.provide(context))
  return outermost(built as HttpApp.Default<unknown>, context)
})
