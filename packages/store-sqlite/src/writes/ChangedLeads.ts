/**
 * The part of the feed of changes that no event tells: leads that an operator or an erasure altered, leads whose newest event was pruned,
 * and leads that are gone. Their positions come from the sequence of events, so that both are in one order of commits. Observations
 * write nothing here: their events have the position. [CHG-1, CHG-3]
 */
import type { LeadId } from "@lead-signals/domain"
import { removedLeadMillis } from "@lead-signals/domain/pure"
import type { Connection } from "../connection/Connection.ts"

const given = "SELECT value FROM json_each(?)"

/** Takes so many positions, and returns the one before them. */
const takePositions = (sql: Connection, count: number): number => {
  const events = sql.nameOf("event")
  const newest = sql.value<number>("SELECT seq FROM sqlite_sequence WHERE name = ?", [events])
  if (newest === undefined) sql.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [events, count])
  else sql.run("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", [newest + count, events])
  return newest ?? 0
}

const note = (sql: Connection, brand: number, ids: ReadonlyArray<LeadId>, removedAt: number | null): void => {
  const before = takePositions(sql, ids.length)
  for (const [i, id] of ids.entries()) {
    sql.run(
      "INSERT OR REPLACE INTO changed_lead (lead_id, brand_id, position, removed_at) VALUES (?, ?, ?, ?)",
      [id, brand, before + i + 1, removedAt]
    )
  }
}

/** Gives the leads positions at the end of the feed. */
export const noteChanged = (sql: Connection, brand: number, ids: ReadonlyArray<LeadId>): void => {
  if (ids.length > 0) note(sql, brand, ids, null)
}

/** Removed leads that one removal forgets at most, for each that it adds: more than are added, so that none stays. */
const forgottenPerRemoval = 4

/** Those that were removed long enough ago go; who has not read of them begins anew. [CHG-5] */
const forgetRemoved = (sql: Connection, brand: number, before: number, limit: number): void => {
  const old = sql.all<{ readonly lead_id: LeadId; readonly position: number }>(
    `SELECT lead_id, position FROM changed_lead
     WHERE brand_id = ? AND removed_at IS NOT NULL AND removed_at < ? ORDER BY removed_at LIMIT ?`,
    [brand, before, limit]
  )
  if (old.length === 0) return
  sql.run(`DELETE FROM changed_lead WHERE lead_id IN (${given})`, [
    JSON.stringify(old.map(({ lead_id }) => lead_id))
  ])
  sql.run("UPDATE brand SET changes_forgotten = max(changes_forgotten, ?) WHERE id = ?", [
    Math.max(...old.map(({ position }) => position)),
    brand
  ])
}

/** Says at the end of the feed that the leads are gone. */
export const noteRemoved = (
  sql: Connection,
  brand: number,
  ids: ReadonlyArray<LeadId>,
  now: number
): void => {
  if (ids.length === 0) return
  note(sql, brand, ids, now)
  forgetRemoved(sql, brand, now - removedLeadMillis, forgottenPerRemoval * ids.length)
}

/** Keeps the positions of leads whose newest event goes. */
export const keepPositions = (sql: Connection, positions: ReadonlyArray<number | string>): void =>
  sql.run(
    `INSERT INTO changed_lead (lead_id, brand_id, position)
     SELECT e.lead_id, e.brand_id, max(e.position) FROM event e WHERE e.position IN (${given}) GROUP BY e.lead_id
     HAVING max(e.position) = (SELECT max(n.position) FROM event n WHERE n.lead_id = e.lead_id)
     ON CONFLICT (lead_id) DO UPDATE SET position = max(position, excluded.position)`,
    [JSON.stringify(positions)]
  )
