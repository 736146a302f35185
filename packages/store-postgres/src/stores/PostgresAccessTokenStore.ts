/** Operators' tokens on Postgres. No token is cached: one that another node revokes is refused by the next call here. [OPER-11] */
import { type AccessToken, AccessTokenStore } from "@lead-signals/domain"
import { journaled } from "@lead-signals/removal-journal"
import {
  accessTokenColumns,
  accessTokenOf,
  type AccessTokenRow,
  idOf,
  newAccessTokenColumns,
  newAccessTokenValues
} from "@lead-signals/sql-rows"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { keyText } from "../rows/Ids.ts"
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
          `INSERT INTO lead_signals.access_token (${newAccessTokenColumns})
           VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${accessTokenColumns}`,
          newAccessTokenValues(token)
        )
      ),
    list: lastUses.withUses(
      database.read(
        readAll<AccessTokenRow, AccessToken>(
          accessTokenOf,
          `SELECT ${accessTokenColumns} FROM lead_signals.access_token ORDER BY id`,
          []
        )
      )
    ),
    findByHash: (hash) =>
      database.read(
        readFirst<AccessTokenRow, AccessToken>(
          accessTokenOf,
          `SELECT ${accessTokenColumns} FROM lead_signals.access_token WHERE hash = $1`,
          [keyText(hash)]
        )
      ),
    revoke: (id, now) =>
      journaled(
        database,
        database.write(
          async (sql) =>
            (await sql.run(
              "UPDATE lead_signals.access_token SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1",
              [idOf(id), now]
            )) === 1
        )
      ),
    markUsed: lastUses.mark
  })
})

/** The port of operators' tokens; as its scope closes, it writes last uses that are not written yet. Needs the `Database`. */
export const layer = Layer.scoped(AccessTokenStore, make)
