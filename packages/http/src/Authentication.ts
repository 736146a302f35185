/** Authentication by API key or by the operator's token, and the rate limit of the key. */
import {
  type ApiKey,
  type InvalidApiKey,
  Keys,
  type KeyStore,
  type StoreUnavailable
} from "@lead-signals/domain"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"

import { Context, Effect, Layer } from "effect"
import type { Attention } from "./Attention.ts"
import { OperatorAccess } from "./contract/Access.ts"
import { Forbidden, InvalidOperatorToken } from "./contract/Failures.ts"
import type { RequestRecord } from "./RequestRecord.ts"
import { hasSameOriginProof, Sessions } from "./Sessions.ts"

/** The token of an `Authorization` header, if its scheme is Bearer, in any letter case. [AUTH-1] */
export const bearerToken = (header: string | undefined): string | undefined =>
  /^bearer +([^\s]+) *$/i.exec(header ?? "")?.[1]

/** The headers of a request that can hold a credential. */
export interface Credentials {
  readonly authorization: string | undefined
  readonly cookie: string | undefined
}

/** The key that a request bears, or that its session stands for; `Authorization` alone counts where both are there. [SES-3] */
const authenticate = (
  { authorization, cookie }: Credentials,
  sessions: typeof Sessions.Service
): Effect.Effect<ApiKey, InvalidApiKey | StoreUnavailable, KeyStore> =>
  authorization !== undefined || cookie === undefined
    ? Keys.authenticate(bearerToken(authorization))
    : Effect.flatMap(sessions.find(cookie), (session) =>
        session?.access.kind === "brand"
          ? Keys.authenticateHash(session.access.keyHash)
          : Keys.authenticate(undefined)
      )

/**
 * Authenticates the key and spends one request of its window; records both for the response's headers and the log, and a refusal for the
 * operator. [RATE-2, OPER-13]
 */
export const admit = (
  credentials: Credentials,
  sessions: typeof Sessions.Service,
  attention: typeof Attention.Service,
  record: RequestRecord
) =>
  Effect.flatMap(authenticate(credentials, sessions), (key) => {
    record.keyId = key.id
    return Effect.flatMap(Keys.spend(key), (rate) => {
      record.rate = rate
      return rate.allowed
        ? Effect.succeed(key)
        : Effect.zipRight(attention.noteRefusal(key), Effect.fail(Keys.refusal(rate)))
    })
  })

/** The token that opens the operator's calls, as the host has it. The API compares it in constant time. [OPER-1] */
export class OperatorToken extends Context.Tag("@lead-signals/http/OperatorToken")<OperatorToken, string>() {}

/** Takes the same time whatever part of the texts is equal. */
const isSame = (a: string, b: string): boolean => {
  const [left, right] = [sha256(utf8ToBytes(a)), sha256(utf8ToBytes(b))]
  return left.reduce((difference, byte, i) => difference | (byte ^ right[i]!), 0) === 0
}

/** Whether it is the operator token, in a time that says nothing about it. */
export const isOperatorToken = (given: string): Effect.Effect<boolean, never, OperatorToken> =>
  Effect.map(OperatorToken, (token) => isSame(given, token))

/** Methods that change nothing. */
const isSafe = (method: string): boolean => method === "GET" || method === "HEAD"

const headers = Effect.map(HttpServerRequest.HttpServerRequest, (request) => request.headers)

export const operatorAccess = Layer.effect(
  OperatorAccess,
  Effect.gen(function* () {
    const [token, sessions] = yield* Effect.all([OperatorToken, Sessions])
    return {
      operatorToken: () =>
        Effect.flatMap(headers, ({ authorization }) =>
          isSame(bearerToken(authorization) ?? "", token)
            ? Effect.void
            : Effect.fail(new InvalidOperatorToken())
        ),
      // Runs where the token is missing or wrong.
      session: () =>
        Effect.gen(function* () {
          const { headers, method } = yield* HttpServerRequest.HttpServerRequest
          const session =
            headers["authorization"] === undefined ? yield* sessions.find(headers["cookie"]) : null
          if (session === null) return yield* new InvalidOperatorToken()
          if (session.access.kind === "brand") return yield* new Forbidden({ reason: "access" })
          if (!isSafe(method) && !hasSameOriginProof(headers))
            return yield* new Forbidden({ reason: "origin" })
        })
    }
  })
)
