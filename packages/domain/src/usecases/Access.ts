/** Who a request comes from, and whether it may pass: keys and their limits. */
import { Clock, Effect, Option } from "effect"
import type { ApiKey } from "../model/ApiKey.ts"
import { InvalidApiKey, RateLimitExceeded, type StoreUnavailable } from "../model/Failure.ts"
import { Directory } from "../ports/Directory.ts"
import { RateWindows } from "../ports/RateWindows.ts"
import * as KeyFormat from "../credentials/KeyFormat.ts"
import * as RateLimit from "../decisions/RateLimit.ts"

/**
 * The key of an `Authorization` header. One with a wrong checksum is refused without asking the store [AUTH-7]; a
 * missing, malformed, unknown and revoked one are not told apart [AUTH-2].
 */
export const authenticate = (
  authorization: string | undefined
): Effect.Effect<ApiKey, InvalidApiKey | StoreUnavailable, Directory> =>
  Effect.gen(function* () {
    const token = KeyFormat.bearerToken(authorization)
    if (token === undefined || !KeyFormat.isWellFormed(token)) return yield* new InvalidApiKey()
    const directory = yield* Directory
    const key = Option.getOrNull(yield* directory.keyByHash(KeyFormat.hash(token)))
    if (key === null || key.revokedAt !== null) return yield* new InvalidApiKey()
    const minute = KeyFormat.minuteOf(yield* Clock.currentTimeMillis)
    if (key.lastUsedAt === null || key.lastUsedAt < minute) {
      // A store that can't write, on a full disk say, can still be read from: the mark is worth neither a wait nor a refusal.
      yield* Effect.ignore(directory.markKeyUsed(key.id, minute))
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
