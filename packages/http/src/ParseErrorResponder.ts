/**
 * Error responses for what Node's parser refuses, in the same shape as every other error, and the checks of a request's head
 * that the parser leaves out. [ERR-1, ERR-5, ERR-7]
 */
import { type IncomingMessage, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { ErrorResponse } from "./contract/ErrorResponse.ts"
import {
  errorBody,
  maxHeaderCount,
  repeatedAuthorization,
  tooManyConnections,
  tooManyHeaders
} from "./contract/Failures.ts"

/** Room for a target that is refused with its own message, and for a browser's headers beside a long one. */
export const maxHeaderBytes = 64 * 1024

/** Node's code of a request whose head or body came too slowly. */
export const timedOut = "ERR_HTTP_REQUEST_TIMEOUT"

/** The code of a connection for which there is no place. [ERR-13] */
export const noConnections = "NO_CONNECTIONS"

const messages: { readonly [code: string]: string } = {
  HPE_HEADER_OVERFLOW: `The request's target and headers take at most ${maxHeaderBytes / 1024} KiB.`,
  HOST_MISSING: "The request takes a Host header.",
  HOST_REPEATED: "The request takes one Host header; it has more.",
  CONNECT: "The request target takes a path that starts with /; this server is no proxy."
}

const errorResponseOfCode = (code: string): ErrorResponse & { readonly retryAfterSeconds?: number } => {
  if (code === noConnections) return tooManyConnections
  return code === timedOut
    ? { status: 408, code: "request_timeout", message: "The request did not arrive in time." }
    : {
        status: 400,
        code: "invalid_parameter",
        message: messages[code] ?? "The request is not well-formed HTTP."
      }
}

/** `rawHeaders` has name and value of each header in turn; `name` is in lower case. */
const countOf = (rawHeaders: ReadonlyArray<string>, name: string): number => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length === name.length && rawHeaders[i]!.toLowerCase() === name) count++
  }
  return count
}

/** The code of why the request is not addressed as HTTP takes it; null when it is. (RFC 9112, 3.2) */
export const hostProblem = ({ httpVersion, rawHeaders }: IncomingMessage): string | null => {
  const hosts = countOf(rawHeaders, "host")
  if (hosts > 1) return "HOST_REPEATED"
  return hosts === 0 && httpVersion === "1.1" ? "HOST_MISSING" : null
}

/**
 * Why a request is refused by its headers alone; null when it is not. Node keeps the first of several keys, and drops headers
 * beyond a number in silence.
 */
export const headersProblem = ({ rawHeaders }: IncomingMessage): ErrorResponse | null => {
  if (rawHeaders.length > 2 * maxHeaderCount) return tooManyHeaders
  return countOf(rawHeaders, "authorization") > 1 ? repeatedAuthorization : null
}

/** A client that is still sending would lose the answer with a connection that is closed at once. */
const lingerMillis = 1000

/** Called for each parse error with the request id of its response. */
export type OnParseError = (requestId: string, status: number) => void

/** Writes the response to a parse error, and ends the connection. There is no response object for what could not be parsed. */
export const writeParseError = (socket: Socket, code: string, onParseError: OnParseError): void => {
  if (!socket.writable || code === "ECONNRESET") {
    socket.destroy()
    return
  }
  const error = errorResponseOfCode(code)
  const body = JSON.stringify(errorBody(error.code, error.message))
  const id = globalThis.crypto.randomUUID()
  // The log has one line about many refused connections.
  if (code !== noConnections) onParseError(id, error.status)
  const retryAfter =
    error.retryAfterSeconds === undefined ? "" : `Retry-After: ${error.retryAfterSeconds}\r\n`
  socket.end(
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Cache-Control: no-store\r\nX-Request-Id: ${id}\r\n${retryAfter}Connection: close\r\n\r\n${body}`
  )
  const timer = setTimeout(() => socket.destroy(), lingerMillis)
  socket.once("close", () => clearTimeout(timer))
}
