/** Authentication by API key or by an operator's token, and the rate limit of the key. */
import {
  AccessTokens,
  type AccessTokenStore,
  type ApiKey,
  type AuditLog,
  InvalidApiKey,
  Keys,
  type KeyScope,
  type KeyStore,
  type RateLimitExceeded,
  type StoreUnavailable
} from "@lead-signals/domain"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"

import { Context, Effect, Layer } from "effect"
import type { Attention } from "./Attention.ts"
import { isAllowed, type Origin } from "./ClientAddress.ts"
import { OperatorAccess } from "./contract/Access.ts"
import { ofEnvironment, type Operator, ofToken } from "./CurrentOperator.ts"
import { Forbidden, InvalidOperatorToken } from "./contract/Failures.ts"
import type { RequestRecord } from "./RequestRecord.ts"
import { hasSameOriginProof, Sessions } from "./Sessions.ts"
import { RefusedCredentials } from "./SessionTrail.ts"

/** The token of an `Authorization` header, if its scheme is Bearer, in any letter case. [AUTH-1] */
export const bearerToken = (header: string | undefined): string | undefined =>
  /^bearer +([^\s]+) *$/i.exec(header ?? "")?.[1]

/** The headers of a request that can hold a credential, and where it comes from. */
export interface Credentials extends Origin {
  readonly authorization: string | undefined
  readonly cookie: string | undefined
}

/** Whether a session would stand for the request's key; `Authorization` alone counts where both are there. [SES-3] */
export const isViaSession = ({ authorization, cookie }: Credentials): boolean =>
  authorization === undefined && cookie !== undefined

/** The key that a request bears, or that its session stands for. */
const authenticate = (
  credentials: Credentials,
  sessions: typeof Sessions.Service
): Effect.Effect<ApiKey, InvalidApiKey | StoreUnavailable, KeyStore> =>
  !isViaSession(credentials)
    ? Keys.authenticate(bearerToken(credentials.authorization))
    : Effect.flatMap(sessions.find(credentials.cookie), (session) =>
        session?.access.kind === "brand"
          ? Keys.authenticateHash(session.access.keyHash)
          : Keys.authenticate(undefined)
      )

/** The key, if it works from where the request comes. [AUTH-11] */
export const fromAllowedAddress = (key: ApiKey, origin: Origin): Effect.Effect<ApiKey, InvalidApiKey> =>
  Effect.flatMap(isAllowed(key.allowedAddresses, origin), (isFrom) =>
    isFrom ? Effect.succeed(key) : Effect.fail(new InvalidApiKey())
  )

/**
 * Spends one request of the key's window, and answers the key; records both for the response's headers and the log, and a refusal for the
 * operator. [RATE-2, OPER-13]
 */
export const spend = (key: ApiKey, attention: typeof Attention.Service, record: RequestRecord | null) =>
  Effect.flatMap(Keys.spend(key), (rate): Effect.Effect<ApiKey, RateLimitExceeded> => {
    if (record !== null) {
      record.keyId = key.id
      record.rate = rate
    }
    return rate.allowed
      ? Effect.succeed(key)
      : Effect.zipRight(attention.noteRefusal(key), Keys.refusal(rate))
  })

/** Authenticates the key and spends one request of its window. */
export const admit = (
  credentials: Credentials,
  sessions: typeof Sessions.Service,
  attention: typeof Attention.Service,
  record: RequestRecord
) =>
  Effect.flatMap(authenticate(credentials, sessions), (key) =>
    key.allowedAddresses === null
      ? spend(key, attention, record)
      : Effect.zipRight(fromAllowedAddress(key, credentials), spend(key, attention, record))
  )

/** Fails when the credentials of a request that waits open its call no more: the key was revoked, or has expired. [CHG-6] */
export const checkStillOpens = (
  credentials: Credentials,
  sessions: typeof Sessions.Service,
  scope: KeyScope
): Effect.Effect<void, InvalidApiKey | StoreUnavailable, KeyStore> =>
  // Nearly no request waits: nothing is hashed for those that don't.
  Effect.flatMap(
    Effect.suspend(() => authenticate(credentials, sessions)),
    (key) =>
      Effect.flatMap(
        key.allowedAddresses === null ? Effect.succeed(key) : fromAllowedAddress(key, credentials),
        ({ scopes }) => (scopes.includes(scope) ? Effect.void : Effect.fail(new InvalidApiKey()))
      )
  )

/** The token that opens every operator call, as the host has it. The API compares it in constant time. [OPER-1, OPER-10] */
export class OperatorToken extends Context.Tag("@lead-signals/http/OperatorToken")<OperatorToken, string>() {}

/** Takes the same time whatever part of the texts is equal. */
const isSame = (a: string, b: string): boolean => {
  const [left, right] = [sha256(utf8ToBytes(a)), sha256(utf8ToBytes(b))]
  return left.reduce((difference, byte, i) => difference | (byte ^ right[i]!), 0) === 0
}

/** Whether it is the operator token, in a time that says nothing about it. */
const isOperatorToken = (given: string): Effect.Effect<boolean, never, OperatorToken> =>
  Effect.map(OperatorToken, (token) => isSame(given, token))

/** Methods that change nothing. */
const isSafe = (method: string): boolean => method === "GET" || method === "HEAD"

/** The operator whose token it is; null when it is nobody's. [OPER-11] */
export const operatorOf = (
  token: string
): Effect.Effect<Operator | null, StoreUnavailable, OperatorToken | AccessTokenStore> =>
  Effect.flatMap(isOperatorToken(token), (isOfEnvironment) =>
    isOfEnvironment
      ? Effect.succeed(ofEnvironment("header"))
      : Effect.map(AccessTokens.authenticate(token), (found) =>
          found === null ? null : ofToken(found, "header")
        )
  )

/** The operator for whom a session stands; null when the token is no longer valid. [SES-3] */
export const operatorOfSession = (
  tokenHash: string | null
): Effect.Effect<Operator | null, StoreUnavailable, AccessTokenStore> =>
  tokenHash === null
    ? Effect.succeed(ofEnvironment("session"))
    : Effect.map(AccessTokens.authenticateHash(tokenHash), (found) =>
        found === null ? null : ofToken(found, "session")
      )

/** The operator for whom the credential of a request stands now; null when it is nobody's any more. For requests that take a while. [OPER-11, LIVE-3] */
export const operatorNow = ({
  authorization,
  cookie
}: Pick<Credentials, "authorization" | "cookie">): Effect.Effect<
  Operator | null,
  StoreUnavailable,
  OperatorToken | AccessTokenStore | Sessions
> =>
  Effect.gen(function* () {
    if (authorization !== undefined) return yield* operatorOf(bearerToken(authorization) ?? "")
    const session = yield* Effect.flatMap(Sessions, ({ find }) => find(cookie))
    return session?.access.kind === "operator" ? yield* operatorOfSession(session.access.tokenHash) : null
  })

const orInvalid = (operator: Operator | null): Effect.Effect<Operator, InvalidOperatorToken> =>
  operator === null ? Effect.fail(new InvalidOperatorToken()) : Effect.succeed(operator)

/**
 * The middleware of operator calls: a token of the header `Authorization`, or a session that began with one. Fails with `Forbidden` for a brand's
 * session and with `InvalidOperatorToken` for anything else, and notes a refused header in the audit log. [OPER-1, AUD-7]
 */
export const operatorAccess = Layer.effect(
  OperatorAccess,
  Effect.gen(function* () {
    const [sessions, refused] = yield* Effect.all([Sessions, RefusedCredentials])
    const context = yield* Effect.context<OperatorToken | AccessTokenStore | AuditLog>()
    const byToken = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
      Effect.flatMap(operatorOf(bearerToken(headers["authorization"]) ?? ""), (operator) =>
        Effect.zipRight(
          operator === null && headers["authorization"] !== undefined
            ? refused.note("refusedToken")
            : Effect.void,
          orInvalid(operator)
        )
      )
    )
    const bySession = Effect.gen(function* () {
      const { headers, method } = yield* HttpServerRequest.HttpServerRequest
      const session = yield* sessions.find(headers["cookie"])
      if (session === null) return yield* new InvalidOperatorToken()
      if (session.access.kind === "brand") return yield* new Forbidden({ reason: "access" })
      if (!isSafe(method) && !hasSameOriginProof(headers)) return yield* new Forbidden({ reason: "origin" })
      return yield* Effect.flatMap(operatorOfSession(session.access.tokenHash), orInvalid)
    })
    return {
      operatorToken: () => Effect.provide(byToken, context),
      // Runs where the token opens nothing, and says why: that the store can't answer, too.
      session: () =>
        Effect.provide(
          Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
            headers["authorization"] === undefined ? bySession : byToken
          ),
          context
        )
    }
  })
)
