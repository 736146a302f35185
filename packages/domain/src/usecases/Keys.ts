/** API keys: an operator creates and revokes them, and requests authenticate with them. */
import { Clock, Effect, Option } from "effect"
import * as KeyFormat from "../credentials/KeyFormat.ts"
import { checkExpiry } from "../decisions/Expiry.ts"
import * as RateLimit from "../decisions/RateLimit.ts"
import { type ApiKey, keyScopes } from "../model/ApiKey.ts"
import type { BrandId } from "../model/Brand.ts"
import { InvalidApiKey, NotFound, RateLimitExceeded, type StoreUnavailable } from "../model/Failure.ts"
import { minuteOf } from "../model/Instant.ts"
import { KeyStore } from "../ports/KeyStore.ts"
import { Entropy } from "../ports/Entropy.ts"
import { RateWindows } from "../ports/RateWindows.ts"
import * as Brands from "./Brands.ts"

/**
 * Creates an API key of the brand, and answers it with its value, which is shown this once and never stored.
 * `requestsPerMinute` is from 1 to `maxRequestsPerMinute`. The defaults are all scopes, every address and no expiry. Fails
 * with `NotFound` when there is no such brand or it is being deleted, with `InvalidParameter` when `expiresAt` has passed,
 * and with `StoreUnavailable`. [AUTH-4, AUTH-12, RATE-1]
 */
export const create = (
  brandId: BrandId,
  {
    allowedAddresses = null,
    expiresAt = null,
    label,
    requestsPerMinute,
    scopes = keyScopes
  }: Pick<ApiKey, "label" | "requestsPerMinute"> &
    Partial<Pick<ApiKey, "scopes" | "expiresAt" | "allowedAddresses">>
) =>
  Effect.gen(function* () {
    const [keyStore, entropy] = yield* Effect.all([KeyStore, Entropy])
    const { id } = yield* Brands.get(brandId)
    const createdAt = yield* Clock.currentTimeMillis
    yield* checkExpiry(expiresAt, createdAt)
    const value = KeyFormat.fromRandom(yield* entropy.bytes(KeyFormat.randomBytesNeeded))
    const key: ApiKey = yield* keyStore.create({
      brandId: id,
      label,
      start: value.slice(0, KeyFormat.startLength),
      requestsPerMinute,
      scopes: keyScopes.filter((scope) => scopes.includes(scope)),
      allowedAddresses,
      expiresAt,
      createdAt,
      hash: KeyFormat.hash(value)
    })
    return { key, value }
  })

/**
 * Revokes the key. Once this has succeeded, no request with the key succeeds. Revoking it again is no error. Fails with
 * `NotFound` when the brand is gone or has no such key, and with `StoreUnavailable`. [AUTH-5]
 */
export const revoke = (brandId: BrandId, keyId: string) =>
  Effect.gen(function* () {
    const keyStore = yield* KeyStore
    yield* Brands.get(brandId)
    if (!(yield* keyStore.revoke(brandId, keyId, yield* Clock.currentTimeMillis))) {
      return yield* new NotFound({ resource: "key" })
    }
  })

/**
 * Answers the API key of a request. A key with a wrong form or checksum is refused without a read of the store. It writes
 * the key's last use, to the minute, and ignores a failure of that write. Fails with the same `InvalidApiKey` for a missing
 * (`undefined`), malformed, unknown, revoked and expired key, and with `StoreUnavailable`. [AUTH-2, AUTH-7, AUTH-8]
 */
export const authenticate = (
  token: string | undefined
): Effect.Effect<ApiKey, InvalidApiKey | StoreUnavailable, KeyStore> =>
  token === undefined || !KeyFormat.isWellFormed(token)
    ? Effect.fail(new InvalidApiKey())
    : authenticateHash(KeyFormat.hash(token))

/** As `authenticate`, by the hash of the key's value: for a browser's session, which keeps the hash and not the key. [SES-3] */
export const authenticateHash = (
  hash: string
): Effect.Effect<ApiKey, InvalidApiKey | StoreUnavailable, KeyStore> =>
  Effect.flatMap(KeyStore, (keyStore) =>
    Effect.flatMap(keyStore.findByHash(hash), (found) =>
      Effect.clockWith((clock): Effect.Effect<ApiKey, InvalidApiKey> => {
        const key = Option.getOrNull(found)
        if (key === null || key.revokedAt !== null) return new InvalidApiKey()
        const now = clock.unsafeCurrentTimeMillis()
        if (key.expiresAt !== null && key.expiresAt <= now) return new InvalidApiKey()
        const minute = minuteOf(now)
        // A store on a full disk can still be read. The last use is not worth refusing the request, or delaying it.
        return key.lastUsedAt === null || key.lastUsedAt < minute
          ? Effect.as(Effect.ignore(keyStore.markUsed(key.id, minute)), key)
          : Effect.succeed(key)
      })
    )
  )

/**
 * Counts one request against the key's rate window. The decision says what is left of the window, also when it refuses.
 * Fails with `StoreUnavailable`. [RATE-2, RATE-3]
 */
export const spend = (key: ApiKey): Effect.Effect<RateLimit.RateDecision, StoreUnavailable, RateWindows> =>
  Effect.flatMap(RateWindows, (windows) =>
    windows.step(key.id, (window, now) => RateLimit.spend(window, key.requestsPerMinute, now))
  )

/** The failure of a request that the decision refuses. [RATE-3] */
export const refusal = (decision: RateLimit.RateDecision): RateLimitExceeded =>
  new RateLimitExceeded({ limit: decision.limit, retryAfterSeconds: decision.retryAfterSeconds })
