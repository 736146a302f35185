/** A small proxy: each request goes to the next node, and to the one after when a node accepts no connection. */
import { once } from "node:events"
import { Agent, createServer, request } from "node:http"

/** Listens on the port of the loopback interface; 0 picks a free one. Answers the port, and a function that closes the proxy. */
export const startProxy = async (urls, port) => {
  const agent = new Agent({ keepAlive: true })
  let next = 0

  const forward = (incoming, body, response, isLast) => {
    const node = next++ % urls.length
    const { headers, method, url } = incoming
    const outgoing = request(new URL(url, urls[node]), { agent, headers, method }, (answer) => {
      response.writeHead(answer.statusCode, { ...answer.headers, "x-node": node + 1 })
      answer.pipe(response)
    })
    outgoing.on("error", ({ code }) => {
      // Nothing was sent to a node that refuses connections; anything else may have taken effect there.
      if (code === "ECONNREFUSED" && !isLast) forward(incoming, body, response, true)
      else if (response.headersSent) response.destroy()
      else response.writeHead(502, { "content-type": "text/plain" }).end("No node answers.\n")
    })
    outgoing.end(body)
  }

  const server = createServer((incoming, response) => {
    const chunks = []
    incoming.on("data", (chunk) => chunks.push(chunk))
    incoming.on("end", () => forward(incoming, Buffer.concat(chunks), response, false))
  })
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return {
    port: server.address().port,
    close: async () => {
      server.close()
      server.closeAllConnections()
      agent.destroy()
    }
  }
}
