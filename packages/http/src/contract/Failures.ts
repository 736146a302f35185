/**
 * The failures of the API: their codes, their HTTP statuses and their one shape. This file alone says which status a
 * failure of the domain has. [ERR-1, ERR-2]
 */
import {
  CursorExpired,
  InvalidApiKey,
  InvalidParameter,
  NotFound,
  RateLimitExceeded,
  StoreUnavailable
} from "@lead-signals/domain"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Schema } from "effect"
import type { ErrorResponse } from "./ErrorResponse.ts"
import { field, oneOf, text } from "./Fields.ts"
import { invalidParameterMessage } from "./Suggestions.ts"
import { idempotencyErrors } from "./IdempotencyAnswers.ts"

/** Every error body. */
export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string }
}

/** The body of an error that is written without a schema, by the fast path and by what answers before routing. */
export const errorBody = (code: string, message: string): ErrorBody => ({ error: { code, message } })

/** The operator's token is missing or wrong. */
export class InvalidOperatorToken extends Schema.TaggedError<InvalidOperatorToken>()(
  "@lead-signals/http/InvalidOperatorToken",
  {}
) {
  /** One sentence for the caller: how to send the token. */
  override get message(): string {
    return "A valid operator token is needed: send it as `Authorization: Bearer <OPERATOR_TOKEN>`."
  }
}

/** The credential is good and not enough for the call. Status 403. [OPER-10, OPER-12, AUTH-10, SES-4, SES-5] */
export class Forbidden extends Schema.TaggedError<Forbidden>()("@lead-signals/http/Forbidden", {
  /**
   * `access`: a brand's session on an operator's call; `origin`: no proof that a page of this origin sent it; `scope`: the token or key
   * has not the scope; `brands`: the token is limited to brands, and the call belongs to none.
   */
  reason: Schema.Literal("access", "origin", "scope", "brands"),
  /** The scope that is missing. */
  scope: Schema.optional(Schema.String)
}) {
  /** One sentence for the caller: what is missing. */
  override get message(): string {
    switch (this.reason) {
      case "access":
        return "A brand's session reads leads and metrics of its brand; this call needs an operator's session."
      case "origin":
        return "The browser must prove that a page of this origin sent the request, by Sec-Fetch-Site or Origin."
      case "scope":
        return `This call needs the scope "${this.scope}", which the credential does not have.`
      case "brands":
        return "This call needs a token for all brands; the token is limited to some."
    }
  }
}

/** What a browser signs in with opens nothing. Status 401. [SES-1] */
export class InvalidCredential extends Schema.TaggedError<InvalidCredential>()(
  "@lead-signals/http/InvalidCredential",
  {}
) {
  /** One sentence for the caller: what to do instead. */
  override get message(): string {
    return "This is neither a valid operator token nor a valid API key, and no sign-in code that is unused and younger than an hour."
  }
}

/** The body is longer than its kind may be: 1 MiB of JSON, 16 MiB for a line of x-ndjson. Status 413. [ERR-5] */
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()(
  "@lead-signals/http/PayloadTooLarge",
  {
    message: Schema.String
  }
) {}

/** The body is of a media type that the call does not take. Status 415. [ERR-2] */
export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()(
  "@lead-signals/http/UnsupportedMediaType",
  { message: Schema.String }
) {}

/** The body, or a line of it, comes too slowly. */
export class RequestTimeout extends Schema.TaggedError<RequestTimeout>()(
  "@lead-signals/http/RequestTimeout",
  { message: Schema.String }
) {}

const forms = new Map<string, Pick<Form<Error>, "status" | "code" | "message">>()

const messageOf = <A extends Error>({ message }: Pick<Form<A>, "message">, failure: A): string =>
  message === undefined ? failure.message : message(failure)

/** The response to a failure that an operation can have; null for anything else. */
export const errorResponseOf = (failure: unknown): ErrorResponse | null => {
  const form = forms.get((failure as { readonly _tag?: string })._tag ?? "")
  return form === undefined
    ? null
    : { status: form.status, code: form.code, message: messageOf(form, failure as Error) }
}

interface Form<A extends Error> {
  readonly identifier: string
  readonly status: number
  readonly code: string
  readonly description: string
  readonly of: { readonly _tag: string } & Schema.Schema<A, any>
  readonly fromMessage: (message: string) => A
  /** The message for clients; the failure's own, unless that is for the operator. */
  readonly message?: (failure: A) => string
}

const ofCode = "Code of the error, for programs"

/** Its message's example is a message that the failure has: `ErrorExamples.ts`. */
const errorSchema = <Code extends Schema.Schema<any>>(code: Code) =>
  Schema.Struct({
    error: field(
      Schema.Struct({
        code,
        message: text("What is wrong and what to send instead, for people; the wording can change")
      }),
      "What went wrong"
    )
  })

const bodyOf = (identifier: string, code: string, description: string) =>
  errorSchema(oneOf([code], ofCode)).annotations({ identifier, description })

const failure = <A extends Error>(form: Form<A>) => {
  const { code, description, fromMessage, identifier, of, status } = form
  forms.set(of._tag, form as Form<any>)
  return Schema.transform(bodyOf(identifier, code, description), Schema.typeSchema(of), {
    strict: true,
    decode: ({ error }) => fromMessage(error.message),
    encode: (error) => ({ error: { code, message: messageOf(form, error) } })
  }).annotations({ ...HttpApiSchema.annotations({ status, description }), identifier })
}

/** The message of `InvalidApiKey`, the same for each of its reasons. [AUTH-2] */
export const invalidApiKeyMessage = "A valid API key is needed: send it as `Authorization: Bearer <API_KEY>`."

/** Every operation can respond so, whatever it declares: the target itself can be malformed. */
export const InvalidParameterBody = bodyOf(
  "InvalidParameterError",
  "invalid_parameter",
  "A parameter or a field of the body can't be read; the message names it and says what it takes"
)

/** 400: the use case's message, with a suggestion where a name or value looks misspelt. [ERR-3] */
export const InvalidParameterFailure = failure({
  identifier: "InvalidParameterError",
  status: 400,
  code: "invalid_parameter",
  description:
    "A parameter or a field of the body can't be read; the message names it and says what it takes",
  of: InvalidParameter,
  fromMessage: (message) => new InvalidParameter({ parameter: "", message }),
  message: invalidParameterMessage
})

/** 401 of the read API. The message never tells which of the reasons it is. [AUTH-2] */
export const InvalidApiKeyFailure = failure({
  identifier: "InvalidApiKeyError",
  status: 401,
  code: "invalid_api_key",
  description:
    "The key is missing, malformed, unknown, revoked, expired or used from an address that is not allowed",
  of: InvalidApiKey,
  fromMessage: () => new InvalidApiKey(),
  message: () => invalidApiKeyMessage
})

/** 401 of operator calls. */
export const InvalidOperatorTokenFailure = failure({
  identifier: "InvalidOperatorTokenError",
  status: 401,
  code: "invalid_operator_token",
  description: "The operator token is missing, unknown, revoked or expired",
  of: InvalidOperatorToken,
  fromMessage: () => new InvalidOperatorToken()
})

/** 401 of signing in, which takes three kinds of credentials. [SES-1] */
export const InvalidCredentialFailure = failure({
  identifier: "InvalidCredentialError",
  status: 401,
  code: "invalid_credential",
  description:
    "The credential is neither a valid operator token, nor a valid API key, nor a sign-in code that is unused and younger than an hour",
  of: InvalidCredential,
  fromMessage: () => new InvalidCredential()
})

/** 403: the message says which of the reasons it is, by `Forbidden.message`. */
export const ForbiddenFailure = failure({
  identifier: "ForbiddenError",
  status: 403,
  code: "forbidden",
  description:
    "The credential lacks the scope of this call or is limited to brands, the session reads one brand and this call is the operator's, or nothing proves that a page of this origin sent the call",
  of: Forbidden,
  fromMessage: () => new Forbidden({ reason: "access" })
})

/** 404, also for what another brand has: the two can't be told apart. [AUTH-3] */
export const NotFoundFailure = failure({
  identifier: "NotFoundError",
  status: 404,
  code: "not_found",
  description: "The brand has no such resource",
  of: NotFound,
  fromMessage: () => new NotFound({ resource: "lead" })
})

/** 408 of a body that comes too slowly. */
export const RequestTimeoutFailure = failure({
  identifier: "RequestTimeoutError",
  status: 408,
  code: "request_timeout",
  description: "The request did not arrive in time; the connection is closed",
  of: RequestTimeout,
  fromMessage: (message) => new RequestTimeout({ message })
})

/** 410 of the change feeds. [CHG-5] */
export const CursorExpiredFailure = failure({
  identifier: "CursorExpiredError",
  status: 410,
  code: "cursor_expired",
  description:
    "The service no longer knows all changes since the cursor, or the cursor is of before a restore: begin again without one",
  of: CursorExpired,
  fromMessage: () => new CursorExpired()
})

/** 413 of calls that take a body. [ERR-5] */
export const PayloadTooLargeFailure = failure({
  identifier: "PayloadTooLargeError",
  status: 413,
  code: "payload_too_large",
  description: "The body is larger than the service accepts",
  of: PayloadTooLarge,
  fromMessage: (message) => new PayloadTooLarge({ message })
})

/** 415 of calls that take a body. */
export const UnsupportedMediaTypeFailure = failure({
  identifier: "UnsupportedMediaTypeError",
  status: 415,
  code: "unsupported_media_type",
  description: "The service does not accept the body's content type",
  of: UnsupportedMediaType,
  fromMessage: (message) => new UnsupportedMediaType({ message })
})

/** 429 of the read API, which also sends `Retry-After`. [RATE-3] */
export const RateLimitFailure = failure({
  identifier: "RateLimitError",
  status: 429,
  code: "rate_limit_exceeded",
  description: "The key's rate window is used up; Retry-After says how many seconds to wait",
  of: RateLimitExceeded,
  fromMessage: () => new RateLimitExceeded({ limit: 0, retryAfterSeconds: 1 })
})

/** The message of a 503 whose reason clients may not know. */
export const unavailableMessage =
  "The service can't answer now; try again shortly. The request may or may not have taken effect."

/** Why, as far as a client may know. */
const unavailableMessageOf = ({ publicReason }: StoreUnavailable): string =>
  publicReason === undefined
    ? unavailableMessage
    : `The service can't write now: ${publicReason}. Reading works. The request may or may not have taken effect.`

/** 503. The store's reason goes to the log; clients get `publicReason` alone, where the failure has it. */
export const UnavailableFailure = failure({
  identifier: "UnavailableError",
  status: 503,
  code: "unavailable",
  description: "The store can't answer now, or the server is draining",
  of: StoreUnavailable,
  fromMessage: (reason) => new StoreUnavailable({ reason }),
  message: unavailableMessageOf
})

/** Refusals of requests whose head alone is read: no operation declares them. */

/** Headers that a request may have. One with more is refused before it is routed. */
export const maxHeaderCount = 2000

/** The answer to a request with more headers than `maxHeaderCount`. */
export const tooManyHeaders: ErrorResponse = {
  status: 431,
  code: "too_many_headers",
  message: `A request takes at most ${maxHeaderCount} headers.`
}

/** The answer to several Authorization headers, of which Node's own headers would show the first alone. */
export const repeatedAuthorization: ErrorResponse = {
  status: 400,
  code: "invalid_parameter",
  message: "The request takes one Authorization header; it has more."
}

/** More requests than may wait; nothing of this one was read. */
export const overloaded: ErrorResponse & { readonly retryAfterSeconds: number } = {
  status: 503,
  code: "unavailable",
  message: "Too many requests of this brand are waiting. Nothing of this one was recorded; send it again.",
  retryAfterSeconds: 1
}

/** More streams of events than a server may have open. */
export const tooManyStreams: ErrorResponse & { readonly retryAfterSeconds: number } = {
  status: 503,
  code: "unavailable",
  message: "The server has as many streams of events open as it may; try again later.",
  retryAfterSeconds: 10
}

/** More connections than a server may have open, each with a request in flight. [ERR-13] */
export const tooManyConnections: ErrorResponse & { readonly retryAfterSeconds: number } = {
  status: 503,
  code: "unavailable",
  message: "The server has as many connections open as it may; try again shortly.",
  retryAfterSeconds: 1
}

const undeclared: ReadonlyArray<Pick<ErrorResponse, "status" | "code">> = [
  { status: 405, code: "method_not_allowed" },
  ...idempotencyErrors,
  tooManyHeaders,
  { status: 500, code: "internal_error" }
]

/** Every code that an error can have, with its status, in the order of statuses. [ERR-2] */
export const errorCodes = (): ReadonlyArray<Pick<ErrorResponse, "status" | "code">> =>
  [...forms.values(), ...undeclared]
    .map(({ code, status }) => ({ status, code }))
    .sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))

/** Any other status, for the document: 405 on another method, 431 on too many headers, 500 on a defect of ours. */
export const OtherError = errorSchema(text(ofCode, "not_found")).annotations({
  identifier: "Error",
  description: "The one shape of every error"
})
