/** The failures of an API call. None of them holds the key. */
import { Data } from "effect"

/**
 * The service refused the request, and would refuse it again. `code` is the API's, such as
 * `invalid_parameter`, `invalid_api_key` or `not_found`; `message` says what to change.
 */
export class RequestRefused extends Data.TaggedError("RequestRefused")<{
  readonly status: number
  readonly code: string
  readonly message: string
  /** Identifies the request in the service's log. */
  readonly requestId: string | null
}> {}

/** The service gave no usable response within the client's patience. */
export class Unanswered extends Data.TaggedError("Unanswered")<{
  readonly message: string
  /** The status of the last response; null when there was none. */
  readonly status: number | null
  readonly attempts: number
}> {}

/** The text is not a cursor of this client. */
export class InvalidCursor extends Data.TaggedError("InvalidCursor")<{ readonly message: string }> {}

export type CallFailure = RequestRefused | Unanswered
