/** Responses: JSON that is encoded once, and errors of one shape. */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { errorBody, overloaded, tooManyStreams as noRoom } from "./contract/Failures.ts"

/** A response with the value as JSON. */
export const json = (body: unknown, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(body), { status, contentType: "application/json" })

/** JSON, as text or encoded in UTF-8. */
export type ResponseBody = string | Uint8Array

/** A response before it is written. */
export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ResponseBody
}

/** The response of the platform for one that is written by hand. */
export const fromRaw = ({ body, headers, status }: RawResponse): HttpServerResponse.HttpServerResponse => {
  const options = { status, headers, contentType: "application/json" }
  return typeof body === "string"
    ? HttpServerResponse.text(body, options)
    : HttpServerResponse.uint8Array(body, options)
}

/** A response with an error body. [ERR-1] */
export const error = (status: number, code: string, message: string): HttpServerResponse.HttpServerResponse =>
  json(errorBody(code, message), status)

/** Refuses a request that would wait too long, and says when to send it again. */
export const overload: HttpServerResponse.HttpServerResponse = HttpServerResponse.setHeader(
  error(overloaded.status, overloaded.code, overloaded.message),
  "retry-after",
  String(overloaded.retryAfterSeconds)
)

/** Refuses a stream of events beyond those that the server may have open. [LIVE-4] */
export const tooManyStreams: HttpServerResponse.HttpServerResponse = HttpServerResponse.setHeader(
  error(noRoom.status, noRoom.code, noRoom.message),
  "retry-after",
  String(noRoom.retryAfterSeconds)
)

/** A response without a body. */
export const noContent = HttpServerResponse.empty({ status: 204 })

/** The message of a 405, whose `Allow` lists the methods. */
export const methodNotAllowedMessage = (allow: string): string => `This path takes ${allow}.`

/** The message of a 500: it says nothing of the cause. */
export const internalMessage =
  "The server failed on this request. Its log has the cause under the request id."
