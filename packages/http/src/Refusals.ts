/**
 * What Node's parser refuses gets the same error shape as everything else, when its turn comes: answers to what was asked
 * before on the same connection go out first, and nothing that comes after it is listened to. [ERR-1, ERR-5]
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import {
  errorBody,
  maxHeaderCount,
  repeatedAuthorization,
  type Told,
  tooManyHeaders
} from "./contract/Failures.ts"

/** Room for a target that is refused with its own message, and for a browser's headers beside a long one. */
export const maxHeaderBytes = 64 * 1024

const timedOut = "ERR_HTTP_REQUEST_TIMEOUT"

const messages: { readonly [code: string]: string } = {
  HPE_HEADER_OVERFLOW: `The request's target and headers take at most ${maxHeaderBytes / 1024} KiB.`,
  HOST_MISSING: "The request takes a Host header.",
  HOST_REPEATED: "The request takes one Host header; it has more.",
  CONNECT: "The request target takes a path that starts with /; connections to elsewhere are not made."
}

const refusalOf = (code: string): Told =>
  code === timedOut
    ? { status: 408, code: "request_timeout", message: "The request did not arrive in time." }
    : {
        status: 400,
        code: "invalid_parameter",
        message: messages[code] ?? "The request is not well-formed HTTP."
      }

/** `rawHeaders` has name and value of each header in turn; `name` is in lower case. */
const countOf = (rawHeaders: ReadonlyArray<string>, name: string): number => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length === name.length && rawHeaders[i]!.toLowerCase() === name) count++
  }
  return count
}

/** Why the request is not addressed as HTTP takes it; null when it is. (RFC 9112, 3.2) */
export const hostProblem = ({ httpVersion, rawHeaders }: IncomingMessage): string | null => {
  const hosts = countOf(rawHeaders, "host")
  if (hosts > 1) return "HOST_REPEATED"
  return hosts === 0 && httpVersion === "1.1" ? "HOST_MISSING" : null
}

/**
 * Why a request is refused by its headers alone; null when it is not. Node keeps the first of several keys, and drops headers
 * beyond a number in silence.
 */
export const headersProblem = ({ rawHeaders }: IncomingMessage): Told | null => {
  if (rawHeaders.length > 2 * maxHeaderCount) return tooManyHeaders
  return countOf(rawHeaders, "authorization") > 1 ? repeatedAuthorization : null
}

/** A client that is still sending would lose the answer with a connection that is closed at once. */
const lingerMillis = 1000

const ignored = (): void => {}

/** Told of each refusal with the id that the answer has. */
export type OnRefused = (requestId: string, status: number) => void

/** Written by hand: there is no response object for what could not be parsed. */
const tell = (socket: Socket, code: string, onRefused: OnRefused): void => {
  if (!socket.writable || code === "ECONNRESET") {
    socket.destroy()
    return
  }
  const refusal = refusalOf(code)
  const body = JSON.stringify(errorBody(refusal.code, refusal.message))
  const id = globalThis.crypto.randomUUID()
  onRefused(id, refusal.status)
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Cache-Control: no-store\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n${body}`
  )
  const timer = setTimeout(() => socket.destroy(), lingerMillis)
  socket.once("close", () => clearTimeout(timer))
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Whether its client lets the connection go on after it. */
  readonly isKeptAlive: boolean
}

/** Says `Connection: close`, or takes it back; too late when the headers are sent. */
const setKeptAlive = ({ response }: Exchange, isKeptAlive: boolean): void => {
  if (!response.headersSent) response.shouldKeepAlive = isKeptAlive
}

/** A response that is never sent: whoever works on it learns that nobody waits. */
const drop = ({ response }: Exchange, socket: Socket): void => {
  if (response.socket === socket) response.detachSocket(socket)
  response.destroy()
  response.emit("close")
}

/** What one connection asks, and what is still to be answered. */
export class Conversation {
  private readonly open = new Set<Exchange>()
  private newest: Exchange | null = null
  private refusal: { readonly code: string; readonly of: Exchange | null } | null = null
  private isDraining = false

  constructor(
    private readonly socket: Socket,
    private readonly onRefused: OnRefused
  ) {
    // The parser lets go of a socket that it can't go on with, and with it of its errors.
    socket.on("error", ignored)
  }

  /** Whether the request is to be answered: after what is refused nothing is. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.refusal !== null) return false
    const exchange = { request, response, isKeptAlive: response.shouldKeepAlive }
    if (this.isDraining) {
      // Node closes with the first that says so, and those that wait behind it would get no answer.
      if (this.newest !== null) setKeptAlive(this.newest, this.newest.isKeptAlive)
      setKeptAlive(exchange, false)
    }
    this.newest = exchange
    this.open.add(exchange)
    response.once("close", () => {
      this.open.delete(exchange)
      this.tellInTurn()
    })
    return true
  }

  /** From now on the newest answer is the connection's last, and says so. */
  drain(): void {
    this.isDraining = true
    if (this.newest !== null) setKeptAlive(this.newest, false)
  }

  /** Refuses what comes next, or the request whose body is under way. */
  refuse(code: string): void {
    if (this.refusal !== null) return
    const broken = this.newest === null || this.newest.request.complete ? null : this.newest
    if (broken?.response.headersSent === true) {
      // One whose answer goes on with its body is let go on; a body that nobody reads any more, or that is no HTTP, is not.
      if (code !== timedOut || broken.response.writableFinished) this.socket.destroySoon()
      return
    }
    this.refusal = { code, of: broken }
    this.tellInTurn()
  }

  private tellInTurn(): void {
    const { refusal } = this
    if (refusal === null || [...this.open].some((exchange) => exchange !== refusal.of)) return
    if (refusal.of !== null && this.open.delete(refusal.of)) drop(refusal.of, this.socket)
    tell(this.socket, refusal.code, this.onRefused)
  }
}
