/**
 * The failures of rules and use cases. Each says what the caller can do about it; none holds personal data, a key or a
 * secret. Adapters decide what a failure looks like on their wire, such as its HTTP status.
 */
import { Schema } from "effect"

/**
 * A parameter or body field that can't be read. `message` names it and says what it takes. `unknownField` is present where an object has a
 * field that its schema does not name: `name` is the field as it was sent, `path` leads to the object and is empty for the value itself, and
 * `accepted` lists the fields that the object takes. [ERR-3]
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

/** The store no longer knows all changes since the cursor, or the cursor is of another history: its reader begins anew. [CHG-5] */
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
 * The store can't answer now: it is busy, full or unreachable. A failed write may be committed all the same, when the
 * disk fails during its sync; sending an observation again does no harm. `reason` and `cause` are for the operator's
 * log alone. `publicReason` is for clients: it says why nothing can be written while reads go on, and names no path,
 * host or other detail of the machine.
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
