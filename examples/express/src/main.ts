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

// A route of the application's own asks the service, and no HTTP. Express 5 hands a rejection to its error handler.
app.get("/dashboard/:brandId", async (request, response) => {
  const { meta } = await leadSignals.list(request.params.brandId, { qualified: true, pageSize: 1 })
  response.json({ qualifiedLeads: meta.pagination.total })
})

// Under a path, which Express takes off the target. Before any body parser that is for all: the API reads its bodies itself.
app.use("/lead-signals", api)

// Parsers and what else the application has come after it, or with the routes that need them.
app.post("/echo", express.json(), (request, response) => {
  response.json(request.body)
})

const server = app.listen(Number(process.env["PORT"] ?? 4001), "127.0.0.1", (failure) => {
  // On a taken port, say.
  if (failure !== undefined) throw failure
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/lead-signals`)
})
process.once("SIGTERM", () => {
  server.close(() => void leadSignals.close())
})
