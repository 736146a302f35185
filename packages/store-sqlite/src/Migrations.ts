/** The versions of the file, and the way from one to the next. */
import { StoreUnavailable } from "@lead-signals/domain"
import type { Connection } from "./Connection.ts"
import { leads } from "./migrations/0001_leads.ts"
import { webhooks } from "./migrations/0002_webhooks.ts"
import { positions } from "./migrations/0003_positions.ts"
import { shown } from "./migrations/0004_shown.ts"
import { searchByBrand } from "./migrations/0005_search_by_brand.ts"
import { shorterWays } from "./migrations/0006_shorter_ways.ts"
import { longStretches } from "./migrations/0007_long_stretches.ts"
import { joinedTexts } from "./migrations/0008_joined_texts.ts"
import { signalsInOrder } from "./migrations/0009_signals_in_order.ts"
import { textsAgain } from "./migrations/0010_texts_again.ts"
import { numberedChanges } from "./migrations/0011_numbered_changes.ts"
import { stretchesAgain } from "./migrations/0012_stretches_again.ts"

/** In order; a released one is never changed. */
const migrations: ReadonlyArray<readonly [name: string, steps: (sql: Connection) => void]> = [
  ["leads", leads],
  ["webhooks", webhooks],
  ["positions", positions],
  ["shown", shown],
  ["search by brand", searchByBrand],
  ["shorter ways", shorterWays],
  ["long stretches", longStretches],
  ["joined texts", joinedTexts],
  ["signals in order", signalsInOrder],
  ["texts again", textsAgain],
  ["numbered changes", numberedChanges],
  ["stretches again", stretchesAgain]
]

export const newestMigration = migrations.length

/** Marks the file as ours, "LSig": a foreign SQLite file is refused. */
const applicationId = 0x4c536967

/** Fails on a file of another program. */
export const checkForeign = (sql: Connection, filename: string): void => {
  const file = sql.get<{ application_id: number; tables: number }>(
    "SELECT application_id, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id"
  )!
  if (file.tables > 0 && file.application_id !== applicationId) {
    throw new StoreUnavailable({ reason: `${filename} is a SQLite file of another program` })
  }
}

/** Two processes that start on one file migrate it one after the other. */
export const migrate = (sql: Connection, filename: string): void =>
  sql.transaction(() => {
    checkForeign(sql, filename)
    sql.pragma(`application_id = ${applicationId}`)
    sql.run(
      `CREATE TABLE IF NOT EXISTS migration (
         migration_id integer PRIMARY KEY NOT NULL, created_at datetime NOT NULL DEFAULT current_timestamp, name VARCHAR(255) NOT NULL)`
    )
    const newest = sql.get<{ id: number | null }>("SELECT max(migration_id) AS id FROM migration")!.id ?? 0
    if (newest > migrations.length) {
      throw new StoreUnavailable({
        reason: `${filename} was written by a newer version of Lead Signals: start that version`
      })
    }
    for (const [i, [name, steps]] of migrations.entries()) {
      if (i < newest) continue
      steps(sql)
      sql.run("INSERT INTO migration (migration_id, name) VALUES (?, ?)", [i + 1, name])
    }
  })
