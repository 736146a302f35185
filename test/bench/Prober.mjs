/**
 * Sends a cheap request every 5 ms on a connection of its own, from a process of its own, and reports how long each answer
 * took: while the server's event loop is blocked, nobody is answered. Takes the URL; ends on a message.
 */
import { connect } from "node:net"

const { hostname, port } = new URL(process.argv[2])
const request = `GET /health HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`
/** Until then the connection and this program are still warming up. */
const recordsFrom = performance.now() + 300
const millis = []
const socket = connect(Number(port), hostname)
socket.setNoDelay(true)
let sentAt = 0

const ask = () => {
  sentAt = performance.now()
  socket.write(request)
}
socket.on("connect", ask)
socket.on("data", () => {
  const took = performance.now() - sentAt
  if (sentAt >= recordsFrom) millis.push(took)
  setTimeout(ask, Math.max(0, 5 - took))
})
process.on("message", () => {
  process.send({ millis })
  process.disconnect()
  socket.destroy()
})
