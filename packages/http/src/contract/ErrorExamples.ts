/** What each error says, for example: in the words of the failures themselves. */
import { CursorExpired, LeadQueries, NotFound, RateLimitExceeded } from "@lead-signals/domain"
import { Either } from "effect"
import { internalMessage, methodNotAllowedMessage } from "../Responses.ts"
import { idempotencyErrors } from "./IdempotencyAnswers.ts"
import { jsonTooLarge, notJson } from "../Body.ts"
import { defaultLimits, Pace } from "../BodyPace.ts"
import {
  Forbidden,
  invalidApiKeyMessage,
  InvalidOperatorToken,
  InvalidCredential,
  tooManyHeaders,
  unavailableMessage
} from "./Failures.ts"

/** By the error's code. */
export const errorExamples: Readonly<Record<string, string>> = {
  invalid_parameter: Either.getOrThrow(Either.flip(LeadQueries.readList([["pageSize", "many"]]))).message,
  invalid_api_key: invalidApiKeyMessage,
  invalid_operator_token: new InvalidOperatorToken().message,
  invalid_credential: new InvalidCredential().message,
  forbidden: new Forbidden({ reason: "access" }).message,
  not_found: new NotFound({ resource: "lead" }).message,
  request_timeout: new Pace("The body", defaultLimits.json).failure.message,
  cursor_expired: new CursorExpired().message,
  payload_too_large: jsonTooLarge.message,
  unsupported_media_type: notJson.message,
  rate_limit_exceeded: new RateLimitExceeded({ limit: 60, retryAfterSeconds: 37 }).message,
  unavailable: unavailableMessage,
  too_many_headers: tooManyHeaders.message,
  method_not_allowed: methodNotAllowedMessage("GET, HEAD"),
  internal_error: internalMessage,
  ...Object.fromEntries(idempotencyErrors.map(({ code, message }) => [code, message]))
}
