/** The expiry of a new key or token. */
import { Either } from "effect"
import { InvalidParameter } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"

/**
 * Refuses an expiry that is not after `now`: such a credential would never work. Null is accepted: the credential does not expire. To end a
 * credential at once, an operator revokes it. [AUTH-12]
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
