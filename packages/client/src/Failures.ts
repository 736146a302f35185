/** What a call of the API can fail with. None of them holds the key. */
import { Data } from "effect"

/**
 * The service refused: the call is wrong as it is, and would be again. `code` is the API's, such as `invalid_parameter`,
 * `invalid_api_key` or `not_found`; `message` says what to do.
 */
export class RequestRefused extends Data.TaggedError("RequestRefused")<{
  readonly status: number
  readonly code: string
  readonly message: string
  /** By which the operator finds the request in the service's log. */
  readonly requestId: string | null
}> {}

/** No usable answer came within the client's patience. */
export class Unanswered extends Data.TaggedError("Unanswered")<{
  readonly message: string
  /** Of the last answer; null when there was none. */
  readonly status: number | null
  readonly attempts: number
}> {}

/** The text is no cursor of this client. */
export class InvalidCursor extends Data.TaggedError("InvalidCursor")<{ readonly message: string }> {}

export type CallFailure = RequestRefused | Unanswered
