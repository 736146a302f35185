/** API keys on Postgres. No key is cached: one that another node revokes is refused by the next request here. [AUTH-5] */
import { type ApiKey, KeyStore } from "@lead-signals/domain"
import { journaled } from "@lead-signals/removal-journal"
import {
  apiKeyColumns,
  apiKeyOf,
  type ApiKeyRow,
  idOf,
  newApiKeyColumns,
  newApiKeyValues
} from "@lead-signals/sql-rows"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { keyText } from "../rows/Ids.ts"
import * as LastUses from "./LastUses.ts"
import { createInBrand, readAll, readFirst, readOne } from "./Statements.ts"

const make = Effect.gen(function* () {
  const database = yield* Database
  const lastUses = yield* LastUses.make(database, "api_key")
  return KeyStore.of({
    create: (key) =>
      database.write(
        createInBrand(
          key.brandId,
          readOne<ApiKeyRow, ApiKey>(
            apiKeyOf,
            `INSERT INTO lead_signals.api_key (${newApiKeyColumns})
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${apiKeyColumns}`,
            newApiKeyValues(key)
          )
        )
      ),
    list: (brandId) =>
      lastUses.withUses(
        database.read(
          readAll<ApiKeyRow, ApiKey>(
            apiKeyOf,
            `SELECT ${apiKeyColumns} FROM lead_signals.api_key WHERE brand_id = $1 ORDER BY id`,
            [idOf(brandId)]
          )
        )
      ),
    findByHash: (hash) =>
      database.read(
        readFirst<ApiKeyRow, ApiKey>(
          apiKeyOf,
          `SELECT ${apiKeyColumns} FROM lead_signals.api_key WHERE hash = $1`,
          [keyText(hash)]
        )
      ),
    revoke: (brandId, keyId, now) =>
      journaled(
        database,
        database.write(
          async (sql) =>
            (await sql.run(
              "UPDATE lead_signals.api_key SET revoked_at = coalesce(revoked_at, $3) WHERE brand_id = $1 AND id = $2",
              [idOf(brandId), idOf(keyId), now]
            )) === 1
        )
      ),
    markUsed: lastUses.mark
  })
})

/** The port of API keys; as its scope closes, it writes the last uses of keys that are not written yet. Needs the `Database`. */
export const layer = Layer.scoped(KeyStore, make)
