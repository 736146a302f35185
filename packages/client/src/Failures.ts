/** The failures of an API call. None of them holds the key. */
import { Data } from "effect"

/**
 * The service refused the request, and would refuse it again. `code` is the API's, such as
 * `invalid_parameter`, `invalid_api_key` or `not_found`; `message` says what to change.
 */
export class RequestRefused extends Data.TaggedError("RequestRefused")<{
  /** The HTTP status: any but 200. The client tries again after 408, 429 and 5xx instead. */
  readonly status: number
  /** The API's code of the error, or `unknown` when the response's body has none. [ERR-2] */
  readonly code: string
  /** Names the parameter and what it takes, in the service's words. [ERR-3] */
  readonly message: string
  /** Identifies the request in the service's log. */
  readonly requestId: string | null
}> {}

/** The service gave no usable response within the client's patience. */
export class Unanswered extends Data.TaggedError("Unanswered")<{
  /** How long the client tried, how often, and what the last attempt met with. */
  readonly message: string
  /** The status of the last response; null when there was none. */
  readonly status: number | null
  /** Attempts that were made; 0 when the key's rate window stayed used up for the whole patience. */
  readonly attempts: number
}> {}

/** The text is not a cursor of this client. */
export class InvalidCursor extends Data.TaggedError("InvalidCursor")<{
  /** One sentence: `cursor` takes a cursor of this client, whole. */
  readonly message: string
}> {}

/** The failures of every API call. */
export type CallFailure = RequestRefused | Unanswered
