/**
 * A program with a table of its own, `deal`. A deal and the observation of its buyer are written in one transaction of the program: both
 * are there afterwards, or neither is.
 *
 * `DATABASE_URL=postgres://user:password@host:5432/name npm start`
 */
import { createLeadSignals } from "@lead-signals/embedded"
import * as PostgresStore from "@lead-signals/store-postgres"
import pg from "pg"

const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"] })
/** The tables of Lead Signals, beside those of the program. */
const schema = "crm_leads"

// Over the pool: makes the schema, and reads. With the option `webhooks` it would post them, each after its commit.
const service = await createLeadSignals({ store: PostgresStore.layerWith(pool, { schema }) })
await pool.query(
  "CREATE TABLE IF NOT EXISTS deal (buyer text PRIMARY KEY, price integer NOT NULL CHECK (price > 0))"
)
const brand = await service.createBrand("Example")
const source = {
  type: "post-url",
  value: "https://example.com/deals",
  liCompanyId: null,
  company: null
} as const
const signal = await service.createSignal(brand.id, { name: "Deals", signalType: "deal", source })

const addDeal = async (buyer: string, price: number): Promise<void> => {
  const client = await pool.connect()
  try {
    await client.query("BEGIN")
    // Over the client: all that it writes belongs to the transaction that was begun here.
    const within = await createLeadSignals({ store: PostgresStore.layerWith(client, { schema }) })
    await within.observe(brand.id, [
      { signalId: signal.id, person: { extId: buyer, name: buyer }, engagement: { id: `deal of ${buyer}` } }
    ])
    await within.close()
    await client.query("INSERT INTO deal VALUES ($1, $2)", [buyer, price])
    await client.query("COMMIT")
  } catch (failure) {
    await client.query("ROLLBACK")
    throw failure
  } finally {
    client.release()
  }
}

await addDeal("Ada", 100)
// The table refuses this price: the lead goes with the deal.
await addDeal("Bo", -1).catch(() => console.log("Bo: rolled back"))

const deals = await pool.query<{ readonly buyer: string }>("SELECT buyer FROM deal ORDER BY buyer")
const leads = await service.list(brand.id)
console.log(`deals: ${deals.rows.map(({ buyer }) => buyer).join(", ")}`)
console.log(`leads: ${leads.data.map(({ name }) => name).join(", ")}`)

await service.close()
await pool.end()
