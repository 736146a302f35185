/**
 * A request whose answer is known before its body is read to its end. Closing the connection at once would reset it, and
 * the client, which is still sending, would lose the answer: the rest of the body is thrown away for a while first. [ERR-8]
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** How long a client may go on sending after its answer. */
const lingerMillis = 5000

/** Ends this side of the connection, and destroys it when the client does not end its own in time. */
const closeLingering = (socket: Socket, millis: number): void => {
  if (socket.destroyed) return
  socket.end()
  const timer = setTimeout(() => socket.destroy(), millis)
  socket.once("close", () => clearTimeout(timer))
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
    if (!response.headersSent) response.shouldKeepAlive = false
    // Node closes the connection by this when the last answer is out.
    socket.destroySoon = () => closeLingering(socket, lingerMillis)
    if (response.writableFinished) socket.destroySoon()
    else response.once("close", () => socket.destroySoon())
    // After the reader's listeners are gone: until then nothing flows.
    setImmediate(() => request.resume())
    return request
  }
}
