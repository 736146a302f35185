/** A host whose machine's clock is wrong keeps the database's time when it takes the store with its clock. */
import { createLeadSignals } from "@lead-signals/embedded"
import * as PostgresStore from "@lead-signals/store-postgres"
import { afterEach, expect, it, vi } from "vitest"
import { migratedDatabase } from "../harness/MadeSchema.ts"
import { isWithoutPostgres } from "../harness/Postgres.ts"

afterEach(() => void vi.restoreAllMocks())

const minutes = 60_000

it.skipIf(isWithoutPostgres)("gives an embedded service the database's time", async () => {
  const url = await migratedDatabase()
  const startedAt = Date.now()
  const real = Date.now.bind(Date)
  vi.spyOn(Date, "now").mockImplementation(() => real() + 10 * minutes)
  const leadSignals = await createLeadSignals({ store: PostgresStore.layerWithClock({ url }) })
  try {
    const brand = await leadSignals.createBrand("B")
    const [made] = await leadSignals.brands()
    expect(made!.id).toBe(brand.id)
    const { value: key } = await leadSignals.createKey(brand.id, { label: "k" })
    const response = await leadSignals.fetch(
      new Request("http://localhost/signals/leads", { headers: { authorization: `Bearer ${key}` } })
    )
    expect(response.status).toBe(200)
    const reset = Number(response.headers.get("x-ratelimit-reset")) * 1000
    expect([reset > startedAt, reset < startedAt + 5 * minutes]).toEqual([true, true])
  } finally {
    await leadSignals.close()
  }
})
