/** The version of a file that is opened for maintenance, without bringing it to this one. */
import { StoreUnavailable } from "@lead-signals/domain"
import type BetterSqlite3 from "better-sqlite3"
import { refuseNewer } from "../schema/Migrations.ts"

/** The number of the file's newest migration. Throws on a file that is not of Lead Signals, and on one of a newer version. [STORE-4] */
export const readVersion = (db: BetterSqlite3.Database, filename: string): number => {
  const found = db
    .prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('migration', 'lead')")
    .pluck()
    .get()
  if (found !== 2) throw new StoreUnavailable({ reason: `${filename} is not a database of Lead Signals` })
  const version = db.prepare("SELECT max(migration_id) FROM migration").pluck().get() as number
  refuseNewer(version, filename)
  return version
}
