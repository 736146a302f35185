/**
 * Rate windows, in a small file beside the database, so that all processes on one database share them and no request
 * waits for the disk: the file is not synced, and what a loss of power takes is a minute's windows.
 */
import { RateWindows } from "@lead-signals/domain"
import { Clock, Effect, Layer } from "effect"
import { asFailure, connectVolatile, patience, unavailable } from "./Database.ts"
import { idOf } from "./Rows.ts"

interface WindowRow {
  readonly started_at: number
  readonly used: number
}

export const layer = (filename: string) =>
  Layer.scoped(
    RateWindows,
    Effect.gen(function* () {
      const sql = yield* connectVolatile(filename)
      yield* asFailure(
        sql.unsafe(
          "CREATE TABLE IF NOT EXISTS rate_window (key_id INTEGER PRIMARY KEY, started_at INTEGER NOT NULL, used INTEGER NOT NULL) STRICT"
        )
      ).pipe(Effect.retry(patience), Effect.mapError(unavailable))
      return RateWindows.of({
        step: (keyId, step) => {
          const key = idOf(keyId)
          return asFailure(
            sql.withTransaction(
              Effect.gen(function* () {
                // Writes first, which takes the lock before the window is read.
                yield* sql.unsafe(
                  "INSERT INTO rate_window VALUES (?, 0, 0) ON CONFLICT DO UPDATE SET used = used",
                  [key]
                )
                const [row] = yield* sql.unsafe<WindowRow>(
                  "SELECT started_at, used FROM rate_window WHERE key_id = ?",
                  [key]
                )
                const { decision, window } = step(
                  row!.used === 0 ? null : { startedAt: row!.started_at, used: row!.used },
                  yield* Clock.currentTimeMillis
                )
                yield* sql.unsafe("UPDATE rate_window SET started_at = ?, used = ? WHERE key_id = ?", [
                  window.startedAt,
                  window.used,
                  key
                ])
                return decision
              })
            )
          ).pipe(Effect.retry(patience), Effect.mapError(unavailable))
        }
      })
    })
  )
