/** Lead Signals on a bare node:http server, over a SQLite file, with webhooks sent. */
import { createLeadSignals } from "@lead-signals/embedded"
import { nodeListener } from "@lead-signals/embedded/node"
import * as SqliteStore from "@lead-signals/store-sqlite"
import * as Webhooks from "@lead-signals/webhook/node"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const leadSignals = await createLeadSignals({
  store: SqliteStore.layer({ filename: process.env["DATABASE"] ?? ".data/example.sqlite" }),
  operatorToken: process.env["OPERATOR_TOKEN"] ?? "a-token-of-your-own",
  // Allows receivers on this machine; by default webhooks reach only public https addresses.
  webhooks: Webhooks.layer({ allowed: ["127.0.0.0/8"] })
})
const api = await nodeListener(leadSignals)
const prefix = "/lead-signals"

const server = createServer((request, response) => {
  const { url = "/" } = request
  if (url === "/hello") {
    response.end("hello from the host\n")
  } else if (url === prefix || url.startsWith(`${prefix}/`)) {
    request.url = url.slice(prefix.length) || "/"
    api(request, response)
  } else {
    response.writeHead(404).end()
  }
})

server.listen(Number(process.env["PORT"] ?? 4001), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`)
})
process.once("SIGTERM", () => {
  // Finishes requests under way, then records deliveries under way and closes the file.
  server.close(() => void leadSignals.close())
})
