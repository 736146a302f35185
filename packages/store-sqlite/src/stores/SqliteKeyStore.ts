/** API keys on SQLite. */
import { type ApiKey, KeyStore } from "@lead-signals/domain"
import { journaled } from "@lead-signals/removal-journal"
import { Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import {
  apiKeyColumns,
  apiKeyOf,
  type ApiKeyRow,
  idOf,
  newApiKeyColumns,
  newApiKeyValues
} from "@lead-signals/sql-rows"
import * as LastUses from "./LastUses.ts"
import { createInBrand, readAll, readFirst, readOne } from "./Statements.ts"

const keyByHash = (hash: string) =>
  readFirst<ApiKeyRow, ApiKey>(apiKeyOf, `SELECT ${apiKeyColumns} FROM api_key WHERE hash = ?`, [hash])

const make = Effect.gen(function* () {
  const database = yield* Database
  const lastUses = yield* LastUses.make(database, "api_key")
  return KeyStore.of({
    create: (key) =>
      database.write(
        createInBrand(
          key.brandId,
          readOne(
            apiKeyOf,
            `INSERT INTO api_key (${newApiKeyColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${apiKeyColumns}`,
            newApiKeyValues(key)
          )
        )
      ),
    list: (brandId) =>
      lastUses.withUses(
        database.read(
          readAll(apiKeyOf, `SELECT ${apiKeyColumns} FROM api_key WHERE brand_id = ? ORDER BY id`, [
            idOf(brandId)
          ])
        )
      ),
    findByHash: (hash) => database.read(keyByHash(hash)),
    revoke: (brandId, keyId, now) =>
      journaled(
        database,
        database.write(
          (sql) =>
            sql.all(
              "UPDATE api_key SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? AND brand_id = ? RETURNING id",
              [now, idOf(keyId), idOf(brandId)]
            ).length === 1
        )
      ),
    markUsed: lastUses.mark
  })
})

/** The port of API keys; as its scope closes, it writes the last uses of keys that are not written yet. Needs the file's `Database`. */
export const layer = Layer.scoped(KeyStore, make)
