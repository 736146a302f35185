/** Operators' tokens: operators create and revoke them, and calls authenticate with them. */
import { Clock, Effect, Option } from "effect"
import * as KeyFormat from "../credentials/KeyFormat.ts"
import { checkExpiry } from "../decisions/Expiry.ts"
import { type AccessToken, type NewAccessToken, operatorScopes } from "../model/AccessToken.ts"
import { NotFound, type StoreUnavailable } from "../model/Failure.ts"
import { minuteOf } from "../model/Instant.ts"
import { AccessTokenStore } from "../ports/AccessTokenStore.ts"
import { Entropy } from "../ports/Entropy.ts"
import * as Brands from "./Brands.ts"

/**
 * Creates a token, and answers it with its value, which is shown this once and never stored. Fails with `NotFound` when
 * one of its brands does not exist or is being deleted, with `InvalidParameter` when `expiresAt` has passed, and with
 * `StoreUnavailable`. [OPER-11, AUTH-12]
 */
export const create = ({ brandIds, expiresAt, name, scopes }: NewAccessToken) =>
  Effect.gen(function* () {
    const [store, entropy] = yield* Effect.all([AccessTokenStore, Entropy])
    const ofBrands =
      brandIds === null ? null : yield* Effect.forEach([...new Set(brandIds)], (id) => Brands.get(id))
    const createdAt = yield* Clock.currentTimeMillis
    yield* checkExpiry(expiresAt, createdAt)
    const value = KeyFormat.fromRandom(
      yield* entropy.bytes(KeyFormat.randomBytesNeeded),
      KeyFormat.tokenPrefix
    )
    const token: AccessToken = yield* store.create({
      name,
      start: value.slice(0, KeyFormat.startLength),
      scopes: operatorScopes.filter((scope) => scopes.includes(scope)),
      brandIds: ofBrands?.map(({ id }) => id) ?? null,
      createdAt,
      expiresAt,
      hash: KeyFormat.hash(value)
    })
    return { token, value }
  })

/**
 * Revokes the token. Once this has succeeded, no call with the token succeeds, and no session that began with it is valid. Revoking it again is no
 * error. Fails with `NotFound` when there is no such token, and with `StoreUnavailable`. [OPER-11]
 */
export const revoke = (id: string) =>
  Effect.gen(function* () {
    const store = yield* AccessTokenStore
    if (!(yield* store.revoke(id, yield* Clock.currentTimeMillis))) {
      return yield* new NotFound({ resource: "token" })
    }
  })

/**
 * Answers the token with this hash; null for an unknown, revoked or expired one. It writes the token's last use, to the minute, and ignores a
 * failure of that write. Fails with `StoreUnavailable`. [OPER-11]
 */
export const authenticateHash = (
  hash: string
): Effect.Effect<AccessToken | null, StoreUnavailable, AccessTokenStore> =>
  Effect.gen(function* () {
    const store = yield* AccessTokenStore
    const token = Option.getOrNull(yield* store.findByHash(hash))
    if (token === null || token.revokedAt !== null) return null
    const now = yield* Clock.currentTimeMillis
    if (token.expiresAt !== null && token.expiresAt <= now) return null
    const minute = minuteOf(now)
    if (token.lastUsedAt === null || token.lastUsedAt < minute) {
      yield* Effect.ignore(store.markUsed(token.id, minute))
    }
    return token
  })

/** As `authenticateHash`, by the token's value. A value with a wrong form or checksum is refused without a read of the store. [OPER-11] */
export const authenticate = (
  value: string
): Effect.Effect<AccessToken | null, StoreUnavailable, AccessTokenStore> =>
  KeyFormat.isWellFormed(value, KeyFormat.tokenPrefix)
    ? authenticateHash(KeyFormat.hash(value))
    : Effect.succeed(null)
