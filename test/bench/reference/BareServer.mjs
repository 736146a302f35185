/**
 * Reference (b): node:http that sends a ready body with a ready set of headers, whatever is requested. Both come over the
 * channel to the parent, which gets the port back.
 */
import { createServer } from "node:http"

process.once("message", ({ body, headers }) => {
  const ready = Buffer.from(body)
  const server = createServer((_request, response) => {
    response.writeHead(200, headers)
    response.end(ready)
  })
  server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }))
})
process.on("disconnect", () => process.exit(0))
