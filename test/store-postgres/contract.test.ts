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
import { madeSchema, newKey, newSchema, sharedDatabase } from "./Databases.ts"

/** The rank index answers from the first lead on, in buckets of three, and the index of texts every search. */
const listing = { findingEffort: 0, maxBucketLeads: 3, maxComparedLeads: 0 }
const coverage = new HistoryCoverage()

const node = (place: Promise<string>, notifications: boolean, key?: EncryptionKey) =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => Promise.all([sharedDatabase(), place])),
      ([url, schema]) =>
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

/** Runs the cases whose titles match, all of them in a thorough run. */
const onlyOf =
  (titles: RegExp): Runner["it"] =>
  (title, body, timeoutMillis) => {
    const run = isThorough || titles.test(title) ? it : it.skip
    run(title, body, timeoutMillis)
  }

/** Cases of each group in which transactions, two nodes or another start matter. The other stores run the rest by default. */
const representative = new RegExp(
  [
    "over generated histories",
    "closed and opened again at any step",
    "commits all of a batch or nothing",
    "lose each other",
    "reader of changes",
    "full case folding",
    "pages without gaps",
    "of many that lease at once",
    "wakes who waits",
    "keeps brands, keys",
    "steps each key's rate window",
    "sums each post",
    "keeps a campaign",
    "deletes a brand",
    "process that holds the lease",
    "lists the audit log",
    "reserves a key once",
    "commits a change together",
    "overtaken"
  ].join("|")
)

/** Cases that meet what is sealed. */
const sealed = /to the byte, over generated histories|PII-5|keeps brands, keys|keeps tokens, limited/

describe.skipIf(isWithoutPostgres)("a store on Postgres", () => {
  // The two nodes below meet all that one does.
  storeContract(
    { describe: describe.runIf(isThorough), it },
    {
      name: "Postgres",
      layer: () => node(Promise.resolve(newSchema()), false),
      survivesReopening: true,
      leadHistories: 300,
      deliveryHistories: 100,
      onCoverage: coverage.add
    }
  )

  storeContract(
    { describe, it: onlyOf(representative) },
    {
      name: "two nodes on one Postgres in turn",
      layer: () => {
        const schema = madeSchema()
        return alternating(node(schema, true), node(schema, true))
      },
      survivesReopening: true,
      leadHistories: isThorough ? 300 : 2,
      deliveryHistories: isThorough ? 100 : 2
    }
  )

  storeContract(
    { describe, it: onlyOf(sealed) },
    {
      name: "two nodes on one encrypted Postgres in turn [PII-4]",
      layer: () => {
        const schema = madeSchema()
        const key = newKey()
        return alternating(node(schema, true, key), node(schema, true, key))
      },
      survivesReopening: true,
      leadHistories: isThorough ? 100 : 1,
      deliveryHistories: isThorough ? 50 : 1
    }
  )

  it.runIf(isThorough)("reaches with its histories what they are for", coverage.check)
})
