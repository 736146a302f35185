/** Lead Signals in a Hono application: fetch handlers all the way, so it runs wherever Hono does. Here on Node. */
import { serve } from "@hono/node-server"
import { createLeadSignals, InvalidParameter } from "@lead-signals/embedded"
import * as MemoryStore from "@lead-signals/store-memory"
import { Hono } from "hono"

const operatorToken = process.env["OPERATOR_TOKEN"] ?? "a-token-of-your-own"
const leadSignals = await createLeadSignals({ store: MemoryStore.layer, operatorToken })

const app = new Hono()

// A route of the application's own calls the service without HTTP, and stops when its client disconnects.
app.get("/names/:brandId", async (context) => {
  try {
    const search = context.req.query("search") ?? ""
    const call = { signal: context.req.raw.signal }
    const { data } = await leadSignals.list(context.req.param("brandId"), { search, sort: "name:asc" }, call)
    return context.json(data.map(({ name }) => name))
  } catch (failure) {
    if (failure instanceof InvalidParameter) return context.json({ message: failure.message }, 400)
    throw failure
  }
})
app.post("/echo", async (context) => context.json(await context.req.json()))

// `mount` removes the mount path from the URL.
app.mount("/lead-signals", leadSignals.fetch)

const server = serve(
  { fetch: app.fetch, port: Number(process.env["PORT"] ?? 4001), hostname: "127.0.0.1" },
  ({ port }) => console.log(`http://127.0.0.1:${port}/lead-signals`)
)
process.once("SIGTERM", () => {
  server.close(() => void leadSignals.close())
})
