/** The rows of removals in a file, which triggers write in the commit that removes. */
import { type JournalHeader, keptMillis, type Removal } from "@lead-signals/removal-journal"
import type { Connection, QueryConnection } from "../connection/Connection.ts"

/** The first line of the journal that the file has. */
export const headerOf = (sql: QueryConnection): JournalHeader =>
  sql.get<JournalHeader>(
    "SELECT database_id AS databaseId, began_at AS beganAt, dropped FROM removal_journal WHERE id = 1"
  )!

/** The position of the newest removal that the file has ever recorded; 0 before the first. */
export const newestPosition = (sql: QueryConnection): number =>
  sql.value<number>(
    "SELECT max((SELECT dropped FROM removal_journal), coalesce((SELECT max(position) FROM removal), 0))"
  )!

/** The removals after the position and up to another, oldest first. */
export const removalsAfter = (
  sql: QueryConnection,
  position: number,
  upTo = Number.MAX_SAFE_INTEGER
): ReadonlyArray<Removal> =>
  sql.all<Removal>(
    `SELECT position, at, kind, brand_id AS brandId, subject FROM removal WHERE position > ? AND position <= ?
     ORDER BY position`,
    [position, upTo]
  )

/** Gives the database its name when it has none yet. */
export const nameDatabase = (sql: Connection, databaseId: string, now: number): void =>
  sql.run("UPDATE removal_journal SET database_id = ?, began_at = ? WHERE id = 1 AND database_id = ''", [
    databaseId,
    now
  ])

/** Whether the oldest removal is to be dropped. */
export const hasOld = (sql: QueryConnection, now: number): boolean =>
  (sql.value<number>("SELECT at FROM removal ORDER BY position LIMIT 1") ?? now) < now - keptMillis

/** Drops the oldest removals whose time is over. Returns whether there were any. */
export const dropOld = (sql: Connection, now: number): boolean => {
  const kept =
    sql.value<number | null>("SELECT min(position) FROM removal WHERE at >= ?", [now - keptMillis]) ??
    newestPosition(sql) + 1
  const oldest = sql.value<number | null>("SELECT min(position) FROM removal")
  if (oldest === null || oldest === undefined || oldest >= kept) return false
  sql.run("DELETE FROM removal WHERE position < ?", [kept])
  sql.run("UPDATE removal_journal SET dropped = ? WHERE id = 1", [kept - 1])
  return true
}
