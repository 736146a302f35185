import { storeContract } from "@lead-signals/store-contract"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Layer } from "effect"
import { describe, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { newSchema, sharedDatabase } from "./Databases.ts"

/** The rank index answers from the first lead on, in buckets of three, and the index of texts every search. */
const listing = { findingEffort: 0, maxBucketLeads: 3, maxComparedLeads: 0 }

const ofSchema = (schema: string) =>
  Layer.unwrapEffect(
    Effect.map(Effect.promise(sharedDatabase), (url) =>
      PostgresStore.layer({ url, schema, notifications: false, maxConnections: 4, listing })
    )
  )

describe.skipIf(isWithoutPostgres)("a store on Postgres", () => {
  storeContract(
    { describe, it },
    {
      name: "Postgres",
      layer: () => ofSchema(newSchema()),
      survivesReopening: true,
      leadHistories: isThorough ? 300 : 10,
      deliveryHistories: isThorough ? 100 : 10
    }
  )
})
