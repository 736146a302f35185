/** Operators' tokens on SQLite. */
import { type AccessToken, AccessTokenStore } from "@lead-signals/domain"
import { journaled } from "@lead-signals/removal-journal"
import { Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import {
  accessTokenColumns,
  accessTokenOf,
  type AccessTokenRow,
  idOf,
  newAccessTokenColumns,
  newAccessTokenValues
} from "@lead-signals/sql-rows"
import * as LastUses from "./LastUses.ts"
import { readAll, readFirst, readOne } from "./Statements.ts"

const make = Effect.gen(function* () {
  const database = yield* Database
  const lastUses = yield* LastUses.make(database, "access_token")
  return AccessTokenStore.of({
    create: (token) =>
      database.write(
        readOne<AccessTokenRow, AccessToken>(
          accessTokenOf,
          `INSERT INTO access_token (${newAccessTokenColumns})
           VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING ${accessTokenColumns}`,
          newAccessTokenValues(token)
        )
      ),
    list: lastUses.withUses(
      database.read(
        readAll<AccessTokenRow, AccessToken>(
          accessTokenOf,
          `SELECT ${accessTokenColumns} FROM access_token ORDER BY id`,
          []
        )
      )
    ),
    findByHash: (hash) =>
      database.read(
        readFirst<AccessTokenRow, AccessToken>(
          accessTokenOf,
          `SELECT ${accessTokenColumns} FROM access_token WHERE hash = ?`,
          [hash]
        )
      ),
    revoke: (id, now) =>
      journaled(
        database,
        database.write(
          (sql) =>
            sql.all(
              "UPDATE access_token SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING id",
              [now, idOf(id)]
            ).length === 1
        )
      ),
    markUsed: lastUses.mark
  })
})

/** The port of operators' tokens; as its scope closes, it writes last uses that are not written yet. Needs the file's `Database`. */
export const layer = Layer.scoped(AccessTokenStore, make)
