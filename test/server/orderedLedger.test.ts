/** The ledger of order: server processes are killed while ordered webhooks are sent to a receiver that fails, and its log is judged. */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { keepOrderLedger, type OrderLedgerFigures } from "../harness/OrderLedger.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { endServersAfterTests, operatorToken, startServer } from "../harness/ServerProcess.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

endServersAfterTests()

const startOn = (database: string) => () =>
  startServer(
    {
      LEAD_SIGNALS_DATABASE: database,
      LEAD_SIGNALS_DEMO: "false",
      LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
      LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8",
      LEAD_SIGNALS_WEBHOOK_RETRY: "1,1"
    },
    bundledServer
  )

const expectMuch = (figures: OrderLedgerFigures): void => {
  console.log(JSON.stringify(figures))
  const { acknowledged, dead, kills, named, unordered } = figures
  // The judge finds what is wrong: without an order the same events overtake each other.
  expect([acknowledged >= 8 * kills, dead > 0, named > 0, unordered > 0]).toEqual([true, true, true, true])
}

// The leases of what is killed run out after 30 seconds.
describe.runIf(isThorough)("the events of each lead come in order, and none is lost, while", () => {
  it("a server on SQLite is killed again and again [ORD-2, ORD-5, DELIV-2]", async () => {
    const filename = join(temporaryFolder(), "ordered.sqlite")
    expectMuch(await keepOrderLedger({ start: startOn(filename), processes: 1, kills: 12, seed: 28 }))
  })

  it.skipIf(isWithoutPostgres)(
    "each of three servers on one Postgres is killed again and again [ORD-2, ORD-5, DELIV-2]",
    async () => {
      const start = startOn(await newDatabase())
      expectMuch(await keepOrderLedger({ start, processes: 3, kills: 18, seed: 29 }))
    }
  )
})
