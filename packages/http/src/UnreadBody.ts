/**
 * A request whose answer is known before its body is read to its end, or where nobody reads its body. Closing the connection at once
 * would reset it, and the client, which is still sending, would lose the answer: the rest of the body is thrown away first, for a
 * while and up to a bound. [ERR-8]
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { maxDiscardedBytes } from "./Body.ts"

/** How long a client may go on sending after its answer. */
const lingerMillis = 5000

/** Ends this side of the connection, and destroys it when the client does not end its own in time. */
const closeLingering = (socket: Socket, millis: number): void => {
  if (socket.destroyed) return
  socket.end()
  const timer = setTimeout(() => socket.destroy(), millis)
  socket.once("close", () => clearTimeout(timer))
}

/** Throws away what comes, up to a bound; from then on the client waits until the connection is closed. */
const discard = (request: IncomingMessage): void => {
  let discardedBytes = 0
  request.on("data", (bytes: Uint8Array) => {
    discardedBytes += bytes.length
    if (discardedBytes > maxDiscardedBytes) request.pause()
  })
  request.resume()
}

/** Makes the answer the last of its connection, which Node closes by `destroySoon` when the answer is out. */
const closeAfterAnswer = (socket: Socket, response: ServerResponse): void => {
  if (!response.headersSent) response.shouldKeepAlive = false
  socket.destroySoon = () => closeLingering(socket, lingerMillis)
}

/** Requests whose body has begun to be read. If the reader gives up, `answerBeforeClosing` discards the rest. */
const read = new WeakSet<IncomingMessage>()

/** To be called where a body begins to be read. */
export const noteReading = (request: IncomingMessage): void => void read.add(request)

/** Whether reading the body has begun: then its reader bounds how slowly the body may arrive. */
export const isRead = (request: IncomingMessage): boolean => read.has(request)

const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** Whether a part of the body may be outstanding that nobody reads. */
export const isUnread = (request: IncomingMessage): boolean =>
  !request.complete && announcesBody(request) && !isRead(request)

/** Calls `begin`, which writes the head of the answer, and has it say that the connection closes where the body has not come yet. */
export const beginAnswer = (request: IncomingMessage, response: ServerResponse, begin: () => void): void => {
  if (!isUnread(request)) return begin()
  // A body that came in one piece with the head is parsed by then.
  setImmediate(() => {
    if (isUnread(request) && !request.socket.destroyed) {
      closeAfterAnswer(request.socket, response)
      discard(request)
    }
    begin()
  })
}

/** Makes the end of reading the body the end of the connection after the answer, and not before it. */
export const answerBeforeClosing = (request: IncomingMessage, response: ServerResponse): void => {
  const destroy = request.destroy.bind(request)
  let isGivenUp = false
  request.destroy = (error) => {
    const { socket } = request
    const isBroken = error !== undefined && error !== null
    if (isBroken || request.complete || socket.destroyed) return destroy(error)
    if (isGivenUp) return request
    isGivenUp = true
    closeAfterAnswer(socket, response)
    if (response.writableFinished) socket.destroySoon()
    else response.once("close", () => socket.destroySoon())
    // After the reader's listeners are gone: until then nothing flows.
    setImmediate(() => discard(request))
    return request
  }
}
