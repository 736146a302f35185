/**
 * A program of Effect with a table of its own, `deal`, in the file of Lead Signals. A deal and the observation of its buyer are written in
 * one transaction of the program: both are there afterwards, or neither is.
 *
 * `DATABASE=deals.sqlite npm start`
 */
import { SqlClient } from "@effect/sql"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { Brands, LeadQueries, Leads, recordObservations, Signals } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Console, Effect, Layer } from "effect"

const filename = process.env["DATABASE"] ?? "deals.sqlite"

/** Makes the tables of Lead Signals in the file, and reads. An emitter over it would post webhooks, each after its commit. */
const store = Layer.merge(SqliteStore.layer({ filename }), webCrypto)
/** The program's own client of the file. */
const client = SqliteClient.layer({ filename })

const source = {
  type: "post-url",
  value: "https://example.com/deals",
  liCompanyId: null,
  company: null
} as const

const program = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS deal (buyer TEXT PRIMARY KEY, price INTEGER NOT NULL CHECK (price > 0))`
  const brand = yield* Brands.create("Example")
  const signal = yield* Signals.create(brand.id, { name: "Deals", signalType: "deal", source })
  /** Within a transaction of the client, all that it writes belongs to that. */
  const within = Layer.merge(SqliteStore.layerOver(sql), webCrypto)

  const addDeal = (buyer: string, price: number) =>
    Effect.gen(function* () {
      yield* recordObservations(brand, [
        { signalId: signal.id, person: { extId: buyer, name: buyer }, engagement: { id: `deal of ${buyer}` } }
      ])
      yield* sql`INSERT INTO deal VALUES (${buyer}, ${price})`
    }).pipe(Effect.provide(within), sql.withTransaction)

  yield* addDeal("Ada", 100)
  // The table refuses this price: the lead goes with the deal.
  yield* Effect.catchTag(addDeal("Bo", -1), "SqlError", () => Console.log("Bo: rolled back"))

  const deals = yield* sql<{ readonly buyer: string }>`SELECT buyer FROM deal ORDER BY buyer`
  const leads = yield* Leads.list(brand.id, yield* LeadQueries.readList([]))
  yield* Console.log(`deals: ${deals.map(({ buyer }) => buyer).join(", ")}`)
  yield* Console.log(`leads: ${leads.leads.map(({ lead }) => lead.profile.name).join(", ")}`)
})

// The store comes first: it makes the file.
await Effect.runPromise(Effect.provide(program, Layer.provideMerge(client, store)))
