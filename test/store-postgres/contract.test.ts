import { storeContract } from "@lead-signals/store-contract"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Layer } from "effect"
import { describe, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { newSchema, sharedDatabase } from "./Databases.ts"

const ofSchema = (schema: string) =>
  Layer.unwrapEffect(
    Effect.map(Effect.promise(sharedDatabase), (url) =>
      PostgresStore.layer({ url, schema, notifications: false, maxConnections: 4 })
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
