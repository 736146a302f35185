/** Keys of brands: made and revoked by an operator, and what a request with one may do. */
import { Clock, Effect, Option } from "effect"
import * as KeyFormat from "../credentials/KeyFormat.ts"
import * as RateLimit from "../decisions/RateLimit.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { BrandId } from "../model/Brand.ts"
import { InvalidApiKey, NotFound, RateLimitExceeded, type StoreUnavailable } from "../model/Failure.ts"
import { KeyStore } from "../ports/KeyStore.ts"
import { Entropy } from "../ports/Entropy.ts"
import { RateWindows } from "../ports/RateWindows.ts"
import * as Brands from "./Brands.ts"

/** The key's value is in this answer and nowhere else, ever. [AUTH-4] */
export const create = (
  brandId: BrandId,
  { label, requestsPerMinute }: { readonly label: string; readonly requestsPerMinute: number }
) =>
  Effect.gen(function* () {
    const [keyStore, entropy] = yield* Effect.all([KeyStore, Entropy])
    const { id } = yield* Brands.get(brandId)
    const value = KeyFormat.fromRandom(yield* entropy.bytes(KeyFormat.randomBytesNeeded))
    const key: ApiKey = yield* keyStore.create({
      brandId: id,
      label,
      start: value.slice(0, KeyFormat.startLength),
      requestsPerMinute,
      createdAt: yield* Clock.currentTimeMillis,
      hash: KeyFormat.hash(value)
    })
    return { key, value }
  })

/** From the moment this succeeds no request with the key does. Again is no error. [AUTH-5] */
export const revoke = (brandId: BrandId, keyId: string) =>
  Effect.gen(function* () {
    const keyStore = yield* KeyStore
    if (!(yield* keyStore.revoke(brandId, keyId, yield* Clock.currentTimeMillis))) {
      return yield* new NotFound({ resource: "key" })
    }
  })

/**
 * Finds the key that a request came with. One with a wrong checksum is refused without asking the store [AUTH-7]; a
 * missing (`undefined`), malformed, unknown and revoked one are not told apart [AUTH-2].
 */
export const authenticate = (
  token: string | undefined
): Effect.Effect<ApiKey, InvalidApiKey | StoreUnavailable, KeyStore> =>
  Effect.gen(function* () {
    if (token === undefined || !KeyFormat.isWellFormed(token)) return yield* new InvalidApiKey()
    const keyStore = yield* KeyStore
    const key = Option.getOrNull(yield* keyStore.findByHash(KeyFormat.hash(token)))
    if (key === null || key.revokedAt !== null) return yield* new InvalidApiKey()
    const minute = KeyFormat.minuteOf(yield* Clock.currentTimeMillis)
    if (key.lastUsedAt === null || key.lastUsedAt < minute) {
      // A store that can't write, on a full disk say, can still be read from: the mark is worth neither a wait nor a refusal.
      yield* Effect.ignore(keyStore.markUsed(key.id, minute))
    }
    return key
  })

/** Spends one request of the key's window; the decision says what is left of it, also when it refuses. */
export const spend = (key: ApiKey): Effect.Effect<RateLimit.RateDecision, StoreUnavailable, RateWindows> =>
  Effect.flatMap(RateWindows, (windows) =>
    windows.step(key.id, (window, now) => RateLimit.spend(window, key.requestsPerMinute, now))
  )

/** The failure of a decision that refused. */
export const refusal = (decision: RateLimit.RateDecision): RateLimitExceeded =>
  new RateLimitExceeded({ limit: decision.limit, retryAfterSeconds: decision.retryAfterSeconds })
