/**
 * `/mcp`: the Model Context Protocol over Streamable HTTP, where a host brings a service that speaks it. This module authenticates the
 * sender of a message, counts it in the key's window, and lets the service call the API as that sender. [MCP-1]
 */
import {
  type AccessTokenStore,
  type ApiKey,
  type AuditLog,
  InvalidApiKey,
  type InvalidParameter,
  Keys,
  type RateLimitExceeded,
  type StoreUnavailable
} from "@lead-signals/domain"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect, Either, Runtime } from "effect"
import { bearerToken, operatorOf, type OperatorToken } from "./Authentication.ts"
import { decodeUtf8, receive } from "./Body.ts"
import { errorBody, errorResponseOf, InvalidOperatorToken, PayloadTooLarge } from "./contract/Failures.ts"
import type { FastPath } from "./FastPath.ts"
import type { RequestRecord } from "./RequestRecord.ts"
import type { Requirements } from "./Requirements.ts"
import * as Responses from "./Responses.ts"
import { RefusedCredentials } from "./SessionTrail.ts"
import { madeOnce } from "./StaticDocument.ts"
import * as Target from "./Target.ts"

/** Where messages are posted. */
export const path = "/mcp"

/** A message of a client takes at most this many bytes. [MCP-3] */
const maxMessageBytes = 64 * 1024

/** How credentials begin. [AUTH-7, OPER-11] */
const keyPrefix = "lsk_"
const tokenPrefix = "lst_"

/** What one tool asks of the API, without its credential. */
export interface ApiCall {
  /** In upper case. */
  readonly method: string
  /** Path and query, as in the first line of a request. */
  readonly target: string
  /** Header fields besides the credential, by names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** JSON; absent where the call has no body. */
  readonly body?: string
}

/** The API's answer to a call. */
export interface ApiAnswer {
  /** The HTTP status. */
  readonly status: number
  /** Seconds after which a refused call may be sent again; null where the answer does not say. */
  readonly retryAfterSeconds: number | null
  /** JSON, or empty. */
  readonly body: string
}

/** Who sent a message, and what the message may call. */
export interface McpCaller {
  /** Whether the credential is a brand's key or an operator's token. */
  readonly kind: "key" | "operator"
  /** The scopes of the credential; null where they are not known before a call. */
  readonly scopes: ReadonlyArray<string> | null
  /** The answer to every call of a message that exceeds the key's window; null when the window has room. */
  readonly refusal: ApiAnswer | null
  /** Calls the API as the sender. An aborted signal stops the call, and rejects. */
  readonly call: (call: ApiCall, signal: AbortSignal) => Promise<ApiAnswer>
}

/** Answers one message, a `POST` with a body of JSON. It never rejects but when the request's signal is aborted. */
export type McpService = (request: Request, caller: McpCaller) => Promise<Response>

/** What speaks the protocol; the first message loads it. Without this service there is no `/mcp`. */
export class Mcp extends Context.Tag("@lead-signals/http/Mcp")<Mcp, Effect.Effect<McpService>>() {}

/** The API that a message may call, and how its key is admitted. */
interface Served {
  readonly app: HttpApp.Default
  readonly fastPath: FastPath
  readonly admit: Effect.Effect<ApiKey, InvalidApiKey | RateLimitExceeded | StoreUnavailable>
}

/** Answers a message; null when the host brings no service for it. */
export type McpPath =
  | ((
      request: HttpServerRequest.HttpServerRequest,
      record: RequestRecord,
      served: Served
    ) => Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      unknown,
      Requirements | OperatorToken | AccessTokenStore | AuditLog | RefusedCredentials
    >)
  | null

const fromBrowser = Responses.error(
  403,
  "forbidden",
  "This path takes no requests of web pages: send no Origin header. A key does not belong in a page."
)

/** The origin stands for the server itself: nothing reads it. */
const base = "http://localhost"

const retryAfterIn = (header: string | undefined): number | null =>
  header === undefined || !/^[0-9]+$/.test(header) ? null : Number(header)

const textOf = (body: Responses.ResponseBody): string => (typeof body === "string" ? body : decodeUtf8(body))

const refusalOf = (
  failure: RateLimitExceeded | InvalidParameter,
  retryAfterSeconds: number | null
): ApiAnswer => {
  const { code, message, status } = errorResponseOf(failure)!
  return { status, retryAfterSeconds, body: JSON.stringify(errorBody(code, message)) }
}

/** Calls as the key, which has been counted for the message. */
const callAsKey =
  (fastPath: FastPath, key: ApiKey) =>
  ({ method, target }: ApiCall) => {
    const work = fastPath({
      method,
      target,
      admitted: key,
      authorization: undefined,
      cookie: undefined,
      peer: undefined,
      forwardedFor: undefined
    })
    if (work !== null)
      return Effect.map(work, ({ body, headers, status }): ApiAnswer => ({
        status,
        retryAfterSeconds: retryAfterIn(headers["retry-after"]),
        body: textOf(body)
      }))
    // The fast path leaves a target that can't be read to the platform's router.
    const refused = Either.flip(Target.parse(target))
    return Either.isRight(refused)
      ? Effect.succeed(refusalOf(refused.right, null))
      : Effect.dieMessage("a key calls an operation of the fast path alone")
  }

/** Sends the call with the operator's token through the whole app, so that scopes and the audit log apply as to any other request. */
const callAsOperator =
  (app: HttpApp.Default, authorization: string) =>
  ({ body, headers, method, target }: ApiCall) =>
    Effect.gen(function* () {
      const request = new Request(`${base}${target}`, {
        method,
        headers: {
          ...headers,
          authorization,
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        // The platform fails to read a body that is not there.
        ...(body === undefined ? (method === "POST" ? { body: new Uint8Array() } : {}) : { body })
      })
      const response = HttpServerResponse.toWeb(
        yield* Effect.provideService(
          app,
          HttpServerRequest.HttpServerRequest,
          HttpServerRequest.fromWeb(request)
        )
      )
      const answer: ApiAnswer = {
        status: response.status,
        retryAfterSeconds: retryAfterIn(response.headers.get("retry-after") ?? undefined),
        body: yield* Effect.promise(() => response.text())
      }
      return answer
    })

/** Who bears the credential. A key spends one request of its window for the message, whatever the message is. [MCP-2] */
const callerOf = (request: HttpServerRequest.HttpServerRequest, { admit, app, fastPath }: Served) =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<Requirements>()
    const run =
      (work: (call: ApiCall) => Effect.Effect<ApiAnswer, never, any>): McpCaller["call"] =>
      (call, signal) =>
        Runtime.runPromise(runtime)(work(call) as Effect.Effect<ApiAnswer, never, Requirements>, { signal })
    const authorization = request.headers["authorization"]
    const token = bearerToken(authorization)
    const operator = token === undefined ? null : yield* operatorOf(token)
    if (operator !== null) {
      const { scopes } = operator
      const caller: McpCaller = {
        kind: "operator",
        scopes,
        refusal: null,
        call: run(callAsOperator(app, authorization!))
      }
      return caller
    }
    if (!(token ?? "").startsWith(keyPrefix)) {
      yield* Effect.flatMap(RefusedCredentials, (refused) => refused.note("refusedToken"))
      if ((token ?? "").startsWith(tokenPrefix)) return yield* new InvalidOperatorToken()
    }
    return yield* Effect.matchEffect(admit, {
      onSuccess: (key): Effect.Effect<McpCaller> =>
        Effect.succeed({
          kind: "key",
          scopes: key.scopes,
          refusal: null,
          call: run(callAsKey(fastPath, key))
        }),
      onFailure: (failure) =>
        failure._tag === "@lead-signals/domain/RateLimitExceeded"
          ? Effect.succeed<McpCaller>({
              kind: "key",
              scopes: null,
              refusal: refusalOf(failure, failure.retryAfterSeconds),
              call: () => Promise.resolve(refusalOf(failure, failure.retryAfterSeconds))
            })
          : Effect.fail(failure)
    })
  })

/** The path, where the host brings what speaks the protocol. */
export const make: Effect.Effect<McpPath> = Effect.gen(function* () {
  const found = yield* Effect.serviceOption(Mcp)
  if (found._tag === "None") return null
  const loaded = yield* madeOnce(found.value)
  return (request, _record, served) =>
    Effect.gen(function* () {
      // Programs send none. A page that reaches this server by a name of its own would send one, whatever its Host says.
      if (request.headers["origin"] !== undefined) return fromBrowser
      // A cookie is no credential here: another page's form could bring it along.
      if (request.headers["authorization"] === undefined) return yield* new InvalidApiKey()
      const caller = yield* callerOf(request, served)
      const bytes = yield* Effect.provideService(receive, HttpServerRequest.HttpServerRequest, request)
      // The key may have been revoked while its client held the message back. An operator's calls are authenticated one by one. [AUTH-5]
      if (caller.kind === "key" && caller.refusal === null)
        yield* Keys.authenticate(bearerToken(request.headers["authorization"]))
      if (bytes.byteLength > maxMessageBytes) {
        return yield* new PayloadTooLarge({ message: "A message takes at most 64 KiB." })
      }
      const service = yield* loaded
      const response = yield* Effect.promise((signal) =>
        service(
          new Request(`${base}${path}`, {
            method: "POST",
            headers: request.headers as Record<string, string>,
            body: bytes as Uint8Array<ArrayBuffer>,
            signal
          }),
          caller
        )
      )
      const contentType = response.headers.get("content-type")
      const body = yield* Effect.promise(() => response.text())
      return HttpServerResponse.text(body, {
        status: response.status,
        ...(contentType === null ? {} : { contentType })
      })
      // `@effect/platform` runs an app without interruption, until a router finds the route: here there is none.
    }).pipe(Effect.interruptible) as never
})
