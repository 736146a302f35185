/**
 * Rate windows, in a small file beside the database, so that all processes on one database share them and no request
 * waits for the disk: the file is not synced, and what a loss of power takes is a minute's windows.
 */
import { RateWindows } from "@lead-signals/domain"
import { Effect, Layer } from "effect"
import { connectVolatile, patiently } from "./Database.ts"
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
      yield* patiently(() =>
        sql.run(
          "CREATE TABLE IF NOT EXISTS rate_window (key_id INTEGER PRIMARY KEY, started_at INTEGER NOT NULL, used INTEGER NOT NULL) STRICT"
        )
      )
      return RateWindows.of({
        step: (keyId, step) => {
          const key = idOf(keyId)
          return Effect.clockWith((clock) =>
            patiently(() =>
              sql.transaction("immediate", () => {
                const row = sql.get<WindowRow>("SELECT started_at, used FROM rate_window WHERE key_id = ?", [
                  key
                ])
                const { decision, window } = step(
                  row === undefined ? null : { startedAt: row.started_at, used: row.used },
                  clock.unsafeCurrentTimeMillis()
                )
                sql.run("INSERT OR REPLACE INTO rate_window VALUES (?, ?, ?)", [
                  key,
                  window.startedAt,
                  window.used
                ])
                return decision
              })
            )
          )
        }
      })
    })
  )
