/** Lead Signals in an Express 5 application: the application's own routes, and the whole API beside them. */
import { createLeadSignals } from "@lead-signals/embedded"
import { nodeListener } from "@lead-signals/embedded/node"
import * as MemoryStore from "@lead-signals/store-memory"
import express from "express"
import type { AddressInfo } from "node:net"

const operatorToken = process.env["OPERATOR_TOKEN"] ?? "a-token-of-your-own"
const leadSignals = await createLeadSignals({ store: MemoryStore.layer, operatorToken })
const api = await nodeListener(leadSignals)

const app = express()
app.disable("x-powered-by")

// A route of the application's own calls the service without HTTP. Express 5 passes a rejection to its error handler.
app.get("/dashboard/:brandId", async (request, response) => {
  const { meta } = await leadSignals.list(request.params.brandId, { qualified: true, pageSize: 1 })
  response.json({ qualifiedLeads: meta.pagination.total })
})

// Express removes the mount path from the target. Mount the API before global body parsers: it reads bodies itself.
app.use("/lead-signals", api)

// Body parsers come after the API, or on the routes that need them.
app.post("/echo", express.json(), (request, response) => {
  response.json(request.body)
})

const server = app.listen(Number(process.env["PORT"] ?? 4001), "127.0.0.1", (failure) => {
  // The port is taken, for instance.
  if (failure !== undefined) throw failure
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/lead-signals`)
})
process.once("SIGTERM", () => {
  server.close(() => void leadSignals.close())
})
