/**
 * The rows of removals. Triggers write them without a position in the commit that removes; a node gives those that are committed their positions
 * afterwards, one node at a time, so that positions have no gaps and follow each other as journals have them. [REST-1]
 */
import {
  type JournalHeader,
  keptMillis,
  type Removal,
  type RemovalHistory
} from "@lead-signals/removal-journal"
import type { Connection } from "../connection/Connection.ts"

/** How far the database is in the history of its removals. */
export interface RemovalState {
  /** Its name and when it began; the name is empty until the first node with a journal. */
  readonly header: JournalHeader
  /** The position of the newest removal that has ever had one; 0 before the first. */
  readonly newest: number
  /** The removal at that position; null where there is none any more. */
  readonly newestRemoval: Removal | null
  /** Whether removals wait for positions. */
  readonly hasUnnumbered: boolean
  /** When the oldest removal with a position was; null where there is none. */
  readonly oldestAt: number | null
}

interface StateRow {
  readonly database_id: string
  readonly began_at: number
  readonly dropped: number
  readonly has_unnumbered: boolean
  readonly oldest_at: number | null
  /** Null where no removal has a position. */
  readonly position: number | null
  readonly at: number
  readonly kind: Removal["kind"]
  readonly brandId: Removal["brandId"]
  readonly subject: string
}

const columns = `at, kind, brand_id AS "brandId", subject`

/** One statement: each node asks every second. */
const stateSql = `SELECT j.database_id, j.began_at, j.dropped, r.*,
    EXISTS (SELECT 1 FROM lead_signals.removal WHERE position IS NULL) AS has_unnumbered,
    (SELECT at FROM lead_signals.removal WHERE position IS NOT NULL ORDER BY position LIMIT 1) AS oldest_at
  FROM lead_signals.removal_journal j LEFT JOIN
    (SELECT position, ${columns} FROM lead_signals.removal WHERE position IS NOT NULL ORDER BY position DESC LIMIT 1) r ON TRUE
  WHERE j.id = 1`

/** The identity of the database's journal, and how far it goes. */
export const stateOf = async (sql: Connection): Promise<RemovalState> => {
  const row = (await sql.get<StateRow>(stateSql))!
  const { at, brandId, dropped, kind, position, subject } = row
  const hasNewest = position !== null && position > dropped
  return {
    header: { databaseId: row.database_id, beganAt: row.began_at, dropped },
    newest: hasNewest ? position : dropped,
    newestRemoval: hasNewest ? { position, at, kind, brandId, subject } : null,
    hasUnnumbered: row.has_unnumbered,
    oldestAt: row.oldest_at
  }
}

/** Keeps other nodes from numbering removals, and from writing a journal that they share with this one, until the transaction ends. */
export const lockJournal = async (sql: Connection): Promise<void> => {
  await sql.run("SELECT 1 FROM lead_signals.removal_journal WHERE id = 1 FOR UPDATE")
}

/** The removals with positions after this one, oldest first. */
export const removalsAfter = (sql: Connection, position: number): Promise<ReadonlyArray<Removal>> =>
  sql.all<Removal>(
    `SELECT position, ${columns} FROM lead_signals.removal WHERE position > $1 ORDER BY position`,
    [position]
  )

/** The removal at the position; null where there is none. */
export const removalAt = async (sql: Connection, position: number): Promise<Removal | null> =>
  (await sql.get<Removal>(`SELECT position, ${columns} FROM lead_signals.removal WHERE position = $1`, [
    position
  ])) ?? null

/** All removals of the database; those without a position come last, with the positions that they would get. */
export const historyOf = async (sql: Connection): Promise<RemovalHistory> => {
  const { header, newest } = await stateOf(sql)
  const removals = await sql.all<Removal>(
    `SELECT coalesce(position, $1 + row_number() OVER (PARTITION BY position IS NULL ORDER BY id)) AS position, ${columns}
     FROM lead_signals.removal ORDER BY 1`,
    [newest]
  )
  return { header: header.databaseId === "" ? null : header, newest, removals }
}

const number = (sql: Connection, newest: number): Promise<number> =>
  sql.run(
    `UPDATE lead_signals.removal r SET position = $1 + given.n
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM lead_signals.removal WHERE position IS NULL) given
     WHERE r.id = given.id`,
    [newest]
  )

/** Whether the time of the oldest removal is over. */
export const hasOld = ({ oldestAt }: RemovalState, now: number): boolean =>
  oldestAt !== null && oldestAt < now - keptMillis

/** Drops the oldest removals, up to the first whose time is not over. */
const dropOld = async (sql: Connection, now: number, newest: number): Promise<void> => {
  const first = await sql.get<{ readonly position: number | null }>(
    "SELECT min(position) AS position FROM lead_signals.removal WHERE position IS NOT NULL AND at >= $1",
    [now - keptMillis]
  )
  const kept = first?.position ?? newest + 1
  await sql.run("DELETE FROM lead_signals.removal WHERE position < $1", [kept])
  await sql.run("UPDATE lead_signals.removal_journal SET dropped = greatest(dropped, $1) WHERE id = 1", [
    kept - 1
  ])
}

/**
 * Numbers what has no position and drops what is old, within a transaction. `databaseId` names a database that has no name yet. Returns the
 * state afterwards.
 */
export const numberRemovals = async (
  sql: Connection,
  now: number,
  databaseId: string | null
): Promise<RemovalState> => {
  await lockJournal(sql)
  // A statement of its own: it sees what was committed while this one waited.
  const before = await stateOf(sql)
  if (databaseId !== null && before.header.databaseId === "") {
    await sql.run("UPDATE lead_signals.removal_journal SET database_id = $1, began_at = $2 WHERE id = 1", [
      databaseId,
      now
    ])
  }
  const numbered = await number(sql, before.newest)
  const state = await stateOf(sql)
  if (!hasOld(state, now)) return state
  await dropOld(sql, now, before.newest + numbered)
  return stateOf(sql)
}
