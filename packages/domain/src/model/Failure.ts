/**
 * What a rule or a use case can refuse with. Each failure says what the caller can do about it; none holds personal
 * data, a key or a secret. How a failure looks on a wire is said by the adapter that speaks that wire.
 */
import { Schema } from "effect"

/**
 * A parameter or body field that can't be read. `message` names it and says what it takes. `unknownField` is there where an object
 * has a field that it does not take: `name` is the field as it was sent, `path` leads to the object and is empty for the value itself, and
 * `accepted` are the fields that the object takes. [ERR-3]
 */
export class InvalidParameter extends Schema.TaggedError<InvalidParameter>()(
  "@lead-signals/domain/InvalidParameter",
  {
    parameter: Schema.String,
    message: Schema.String,
    unknownField: Schema.optional(
      Schema.Struct({ name: Schema.String, path: Schema.String, accepted: Schema.Array(Schema.String) })
    )
  }
) {}

/** The brand has no such thing: it never had, it was erased, or it is another brand's. [AUTH-3] */
export class NotFound extends Schema.TaggedError<NotFound>()("@lead-signals/domain/NotFound", {
  resource: Schema.Literal(
    "brand",
    "key",
    "signal",
    "lead",
    "campaign",
    "webhook",
    "delivery",
    "event",
    "token"
  )
}) {
  /** One sentence for the caller, which names the kind of thing that is missing and never its id. */
  override get message(): string {
    return `There is no such ${this.resource}.`
  }
}

/** The cursor is from before what the store remembers of changes, or of another history: its reader begins anew. [CHG-5] */
export class CursorExpired extends Schema.TaggedError<CursorExpired>()(
  "@lead-signals/domain/CursorExpired",
  {}
) {
  /** One sentence for the caller: how to go on. */
  override get message(): string {
    return "The service no longer knows all changes since this cursor: begin again without a cursor, and drop leads that do not come."
  }
}

/** The key is missing, malformed, unknown or revoked; the failure does not say which. [AUTH-2] */
export class InvalidApiKey extends Schema.TaggedError<InvalidApiKey>()(
  "@lead-signals/domain/InvalidApiKey",
  {}
) {
  /** One sentence for the caller, the same for each of the four reasons. */
  override get message(): string {
    return "A valid API key is needed."
  }
}

/**
 * The key's rate window is used up. `limit` is the requests in a window, `retryAfterSeconds` the whole seconds until it
 * ends, at least 1. [RATE-3]
 */
export class RateLimitExceeded extends Schema.TaggedError<RateLimitExceeded>()(
  "@lead-signals/domain/RateLimitExceeded",
  { limit: Schema.Number, retryAfterSeconds: Schema.Number }
) {
  /** One sentence for the caller, with the limit and the seconds to wait. */
  override get message(): string {
    return `This key may make ${this.limit} requests a minute. Try again in ${this.retryAfterSeconds} s.`
  }
}

/**
 * The store can't answer now: it is busy, full or gone. A failed write may be committed all the same, when the disk
 * failed while the store made sure of it; an observation can be sent again at no cost. `reason` and `cause` are for
 * the operator's log alone. `publicReason` may be shown to clients: it says why nothing can be written while reads go
 * on, and names nothing of the machine.
 */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()(
  "@lead-signals/domain/StoreUnavailable",
  {
    reason: Schema.String,
    publicReason: Schema.optional(Schema.String),
    cause: Schema.optional(Schema.Defect)
  }
) {
  /** One sentence with the reason, for the operator's log. */
  override get message(): string {
    return `The store can't answer: ${this.reason}`
  }
}
