/**
 * What a rule or a use case can refuse with. Each failure says what the caller can do about it; none holds personal
 * data, a key or a secret. How a failure looks on a wire is said by the adapter that speaks that wire.
 */
import { Schema } from "effect"

/** A parameter or body field that can't be read. `message` names it and says what it takes. [ERR-3] */
export class InvalidParameter extends Schema.TaggedError<InvalidParameter>()(
  "@lead-signals/domain/InvalidParameter",
  { parameter: Schema.String, message: Schema.String }
) {}

/** The brand has no such thing: it never had, it was erased, or it is another brand's. [AUTH-3] */
export class NotFound extends Schema.TaggedError<NotFound>()("@lead-signals/domain/NotFound", {
  resource: Schema.Literal("brand", "key", "signal", "lead", "campaign", "webhook", "delivery")
}) {
  override get message(): string {
    return `There is no such ${this.resource}.`
  }
}

/** The key is missing, malformed, unknown or revoked: which of these is not told. [AUTH-2] */
export class InvalidApiKey extends Schema.TaggedError<InvalidApiKey>()(
  "@lead-signals/domain/InvalidApiKey",
  {}
) {
  override get message(): string {
    return "A valid API key is needed: send it as `Authorization: Bearer <API_KEY>`."
  }
}

/** The key's window is used up. `retryAfterSeconds` is a whole number, at least 1. [RATE-3] */
export class RateLimitExceeded extends Schema.TaggedError<RateLimitExceeded>()(
  "@lead-signals/domain/RateLimitExceeded",
  { limit: Schema.Number, retryAfterSeconds: Schema.Number }
) {
  override get message(): string {
    return `This key may make ${this.limit} requests a minute. Try again in ${this.retryAfterSeconds} s.`
  }
}

/**
 * The store can't answer now: it is busy, full or gone. The failed call may have been committed all the same, when the disk
 * failed as it was being made sure of; an observation can be sent again at no cost. `reason` and `cause` are for the operator's
 * log and must not be shown to an API client. `publicReason` may: it names nothing of the machine, and says why nothing can be
 * written while what is there can be read.
 */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()(
  "@lead-signals/domain/StoreUnavailable",
  {
    reason: Schema.String,
    publicReason: Schema.optional(Schema.String),
    cause: Schema.optional(Schema.Defect)
  }
) {
  override get message(): string {
    return `The store can't answer: ${this.reason}`
  }
}
