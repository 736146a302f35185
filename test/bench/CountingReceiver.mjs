/**
 * A receiver in a process of its own, so that receiving is not on the account of who sends. On `count N` it reports when
 * so many events have come, alone or in batches; on `take` it gives when each engagement came to each path, in nanoseconds of the clock that
 * all processes of a machine share. The path /hang never answers.
 */
import { createServer } from "node:http"

let received = 0
let wanted = null
const times = []

const tell = () => {
  if (wanted === null || received < wanted) return
  wanted = null
  process.send({ counted: received })
}

const server = createServer((request, response) => {
  const at = process.hrtime.bigint()
  let body = ""
  request.on("data", (chunk) => (body += chunk))
  request.on("end", () => {
    if (request.url === "/hang") return
    response.writeHead(204).end()
    const id = /"engagements":\[\{"id":"([^"]+)"/.exec(body)?.[1]
    times.push([request.url, id, String(at)])
    received += body.startsWith("[") ? JSON.parse(body).length : 1
    tell()
  })
})
server.keepAliveTimeout = 60_000

process.on("message", ({ count, take }) => {
  if (take) process.send({ times: times.splice(0) })
  if (count !== undefined) {
    received = 0
    wanted = count
  }
})

server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }))
