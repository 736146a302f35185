/**
 * A shop that has its orders and the leads in one SQLite file, and writes both in one transaction: an order and the observation of
 * its buyer are both there, or neither. The webhook fires after the commit.
 */
import { SqliteClient } from "@effect/sql-sqlite-node"
import { SqlClient } from "@effect/sql/SqlClient"
import { Brands, LeadQueries, Leads, recordObservations, Signals, Webhooks } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import * as Sending from "@lead-signals/webhook/node"
import { Console, Effect, Layer } from "effect"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"

const filename = process.env["DATABASE"] ?? "shop.sqlite"

/** The host's own client and tables, and the store over the same client. */
const store = Layer.unwrapEffect(Effect.map(SqlClient, (client) => SqliteStore.layerOver(client)))
const emitter = Sending.layer({ allowed: ["127.0.0.0/8"] })
const services = emitter.pipe(
  Layer.provideMerge(Layer.merge(store, webCrypto)),
  Layer.provideMerge(SqliteClient.layer({ filename }))
)

/** Prints the type of each event that arrives; ends after the second. */
const receiver = Effect.async<{ readonly url: string; readonly received: Promise<unknown> }>((resume) => {
  const server = createServer()
  const received = new Promise<void>((resolve) => {
    let count = 0
    server.on("request", async (request, response) => {
      console.log(`webhook: ${JSON.parse(await text(request)).event}`)
      response.end()
      if (++count === 2) resolve()
    })
  }).then(() => server.close())
  server.listen(0, "127.0.0.1", () => {
    const address = server.address() as { readonly port: number }
    resume(Effect.succeed({ url: `http://127.0.0.1:${address.port}/`, received }))
  })
})

const program = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS "order" (id INTEGER PRIMARY KEY, buyer TEXT NOT NULL, cents INTEGER NOT NULL)`
  const brand = yield* Brands.create("Shop")
  const signal = yield* Signals.create(brand.id, {
    name: "Orders",
    signalType: "keywords",
    source: { type: "posts-with-keywords", value: "order", liCompanyId: null, company: null }
  })
  const { received, url } = yield* receiver
  const events = ["lead2.created", "activity.detected"] as const
  yield* Webhooks.create(brand.id, { url, events, description: null, enabled: true })

  const order = (id: string, name: string, cents: number) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* recordObservations(brand, [
          { signalId: signal.id, person: { extId: name, name }, engagement: { id } }
        ])
        yield* sql`INSERT INTO "order" (buyer, cents) VALUES (${name}, ${cents})`
        if (cents <= 0) yield* Effect.fail("an order costs something")
      })
    )
  const print = (what: string) =>
    Effect.gen(function* () {
      const [orders] = yield* sql<{ n: number }>`SELECT count(*) AS n FROM "order"`
      const { total } = yield* Leads.list(brand.id, yield* LeadQueries.readList([]))
      yield* Console.log(`${what}: orders ${orders!.n}, leads ${total}`)
    })

  yield* Effect.flip(order("e-1", "Ada Example", 0))
  yield* print("rolled back")
  yield* order("e-2", "Ada Example", 1900)
  yield* print("committed")
  yield* Effect.promise(() => received)
})

await Effect.runPromise(Effect.provide(program, services))
