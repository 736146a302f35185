/**
 * The requests of one connection in their order. What Node's parser refuses is answered when the requests before it on the same
 * connection are, and nothing that comes after it is read. [ERR-1, ERR-10]
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { OpenConnections } from "./OpenConnections.ts"
import { type OnParseError, timedOut, writeParseError } from "./ParseErrorResponder.ts"
import { isRead } from "./UnreadBody.ts"

const ignored = (): void => {}

/** The maximum number of unanswered requests on one connection. */
const maxOpen = 1000

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

/** A response that is never sent: its handler learns that nobody waits. */
const drop = ({ response }: Exchange, socket: Socket): void => {
  if (response.socket === socket) response.detachSocket(socket)
  response.destroy()
  response.emit("close")
}

/** Requests that are in flight on one connection, and the refusal that ends it. */
export class ConnectionPipeline {
  private readonly open = new Set<Exchange>()
  private newest: Exchange | null = null
  private refusal: { readonly code: string; readonly of: Exchange | null } | null = null
  private isDraining = false
  private resumesAtDrain = false

  constructor(
    private readonly socket: Socket,
    private readonly onParseError: OnParseError,
    private readonly connections: OpenConnections
  ) {
    // The parser lets go of a socket that it can't go on with, and with it of its errors.
    socket.on("error", ignored)
  }

  /**
   * Whether the request is to be answered. None is after a request that was refused or an answer that said that it is the last, and a
   * connection with `maxOpen` unanswered requests is closed.
   */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.refusal !== null) return false
    if (this.isLastAnswered) {
      // What stays unread would reset the connection, and the client lose the last answer.
      request.resume()
      return false
    }
    if (this.open.size >= maxOpen) {
      // Node reads further requests while the first one is unanswered, and each of them takes some kilobytes.
      this.socket.destroy()
      return false
    }
    const exchange = { request, response, isKeptAlive: response.shouldKeepAlive }
    if (this.isDraining) {
      // Node closes with the first that says so, and those that wait behind it would get no answer.
      if (this.newest !== null) setKeptAlive(this.newest, this.newest.isKeptAlive)
      setKeptAlive(exchange, false)
    }
    this.newest = exchange
    this.open.add(exchange)
    this.connections.noteBusy(this.socket)
    response.once("close", () => {
      this.open.delete(exchange)
      if (this.open.size === 0) this.connections.noteIdle(this.socket)
      this.writeRefusalInOrder()
    })
    return true
  }

  /**
   * Whether a connection on which nothing moves is of no use any more: its client takes nothing of an answer, or has all answers and sends
   * no further request. One that waits for the work on its answer is of use, and so is one that has had no request yet, for which Node has
   * a time of its own. [ERR-12]
   */
  get isAbandoned(): boolean {
    return this.socket.writableLength > 0 || (this.open.size === 0 && this.newest !== null)
  }

  /** Whether the newest answer has said that it is the connection's last: its client may repeat what it sent after that. (RFC 9112, 9.6) */
  private get isLastAnswered(): boolean {
    if (this.socket.writableEnded) return true
    const response = this.newest?.response
    return response?.headersSent === true && !response.shouldKeepAlive
  }

  /** Reads nothing more while the client takes nothing of its answers: a client that only sends would keep its connection. [ERR-12] */
  stopReadingWhileUnread(): void {
    const { socket } = this
    if (!socket.writableNeedDrain || socket.isPaused()) return
    socket.pause()
    if (this.resumesAtDrain) return
    this.resumesAtDrain = true
    socket.once("drain", () => {
      this.resumesAtDrain = false
      socket.resume()
    })
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
    // Node's timeout includes the time that the service takes. A body that is being read has the bounds of `BodyPace`, which measure only how long
    // the client takes. [ERR-6]
    if (code === timedOut && broken !== null && isRead(broken.request) && !broken.response.headersSent) return
    if (broken?.response.headersSent === true) {
      // One whose answer goes on with its body is let go on; a body that nobody reads any more, or that is no HTTP, is not.
      if (code !== timedOut || broken.response.writableFinished) this.socket.destroySoon()
      return
    }
    this.refusal = { code, of: broken }
    this.writeRefusalInOrder()
  }

  private writeRefusalInOrder(): void {
    const { refusal } = this
    if (refusal === null || [...this.open].some((exchange) => exchange !== refusal.of)) return
    if (refusal.of !== null && this.open.delete(refusal.of)) drop(refusal.of, this.socket)
    writeParseError(this.socket, refusal.code, this.onParseError)
  }
}
