/**
 * The contract of stores over Postgres, by one node and by two in turn.
 *
 * @slow every case of the contract in schemas of its own, by two nodes
 */
import { type Runner, storeContract } from "@lead-signals/store-contract"
import * as PostgresStore from "@lead-signals/store-postgres"
import type { EncryptionKey } from "@lead-signals/encryption"
import { Effect, Layer } from "effect"
import { describe, it } from "vitest"
import { HistoryCoverage } from "../harness/HistoryCoverage.ts"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { alternating } from "./AlternatingNodes.ts"
import { newKey, newSchema, sharedDatabase } from "./Databases.ts"

/** The rank index answers from the first lead on, in buckets of three, and the index of texts every search. */
const listing = { findingEffort: 0, maxBucketLeads: 3, maxComparedLeads: 0 }
const coverage = new HistoryCoverage()

const node = (schema: string, notifications: boolean, key?: EncryptionKey) =>
  Layer.unwrapEffect(
    Effect.map(Effect.promise(sharedDatabase), (url) =>
      PostgresStore.layer({
        url,
        schema,
        notifications,
        maxConnections: 4,
        listing,
        ...(key === undefined ? {} : { encryptionKey: key })
      })
    )
  )

const sealed =
  /over generated histories|PII-5|lose each other|keeps brands, keys|keeps tokens|deletes a brand/
const representative: Runner["it"] = (title, body, timeoutMillis) => {
  const run = sealed.test(title) ? it : it.skip
  run(title, body, timeoutMillis)
}

describe.skipIf(isWithoutPostgres)("a store on Postgres", () => {
  // The two nodes below meet all that one does.
  storeContract(
    { describe: describe.runIf(isThorough), it },
    {
      name: "Postgres",
      layer: () => node(newSchema(), false),
      survivesReopening: true,
      leadHistories: 300,
      deliveryHistories: 100,
      onCoverage: coverage.add
    }
  )

  storeContract(
    { describe, it },
    {
      name: "two nodes on one Postgres in turn",
      layer: () => {
        const schema = newSchema()
        return alternating(node(schema, true), node(schema, true))
      },
      survivesReopening: true,
      leadHistories: isThorough ? 300 : 5,
      deliveryHistories: isThorough ? 100 : 5
    }
  )

  // By default the cases that meet what is sealed; the others differ in nothing.
  storeContract(
    { describe, it: isThorough ? it : representative },
    {
      name: "two nodes on one encrypted Postgres in turn [PII-4]",
      layer: () => {
        const schema = newSchema()
        const key = newKey()
        return alternating(node(schema, true, key), node(schema, true, key))
      },
      survivesReopening: true,
      leadHistories: isThorough ? 100 : 2,
      deliveryHistories: isThorough ? 50 : 2
    }
  )

  it.runIf(isThorough)("reaches with its histories what they are for", coverage.check)
})
