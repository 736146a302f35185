/** When a new key or token may end. */
import { Either } from "effect"
import { InvalidParameter } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"

/**
 * Refuses an end that is not after `now`, in milliseconds since 1970: such a credential would never have worked. Null has no end. A
 * credential ends at once by its revocation. [AUTH-12]
 */
export const checkExpiry = (expiresAt: Instant | null, now: Instant): Either.Either<void, InvalidParameter> =>
  expiresAt === null || expiresAt > now
    ? Either.void
    : Either.left(
        new InvalidParameter({
          parameter: "expiresAt",
          message: "expiresAt takes a time in the future, or null; this time has passed."
        })
      )
