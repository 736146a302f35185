/** Authentication by API key or by the operator's token, and the rate limit of the key. */
import { Keys } from "@lead-signals/domain"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"

import { Context, Effect, Layer } from "effect"
import { OperatorAccess } from "./contract/Access.ts"
import { InvalidOperatorToken } from "./contract/Failures.ts"
import type { RequestRecord } from "./RequestRecord.ts"

/** The token of an `Authorization` header, if its scheme is Bearer, in any letter case. [AUTH-1] */
export const bearerToken = (header: string | undefined): string | undefined =>
  /^bearer +([^\s]+) *$/i.exec(header ?? "")?.[1]

/** Authenticates the key and spends one request of its window; records both for the response's headers and the log. [RATE-2] */
export const admit = (authorization: string | undefined, record: RequestRecord) =>
  Effect.flatMap(Keys.authenticate(bearerToken(authorization)), (key) => {
    record.keyId = key.id
    return Effect.flatMap(Keys.spend(key), (rate) => {
      record.rate = rate
      return rate.allowed ? Effect.succeed(key) : Effect.fail(Keys.refusal(rate))
    })
  })

const authorization = Effect.map(
  HttpServerRequest.HttpServerRequest,
  (request): string | undefined => request.headers.authorization
)

/** The token that opens the operator's calls, as the host has it. The API compares it in constant time. [OPER-1] */
export class OperatorToken extends Context.Tag("@lead-signals/http/OperatorToken")<OperatorToken, string>() {}

/** Takes the same time whatever part of the texts is equal. */
const isSame = (a: string, b: string): boolean => {
  const [left, right] = [sha256(utf8ToBytes(a)), sha256(utf8ToBytes(b))]
  return left.reduce((difference, byte, i) => difference | (byte ^ right[i]!), 0) === 0
}

export const operatorAccess = Layer.effect(
  OperatorAccess,
  Effect.map(OperatorToken, (token) => ({
    operatorToken: () =>
      Effect.flatMap(authorization, (header) =>
        isSame(bearerToken(header) ?? "", token) ? Effect.void : Effect.fail(new InvalidOperatorToken())
      )
  }))
)
