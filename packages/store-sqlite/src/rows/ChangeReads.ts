/**
 * The feed of changes. A lead's position is that of its newest event, or a later one in `changed_lead`; an event that is not its lead's
 * newest is passed over, so a lead that changed often is read once. [CHG-1]
 */
import type { ChangePage, ChangePosition, ChangeRead, LeadId, LeadQuery } from "@lead-signals/domain"
import type { Connection, QueryConnection } from "../connection/Connection.ts"
import { leadsById, windows } from "./LeadReads.ts"
import { idOf } from "@lead-signals/sql-rows"

/** Events of all brands that one call looks at: they lie in the order of commits alone. */
const maxScanned = 2000

/** Before the first position: leads that have no event at all are below zero. */
const beforeFirst = Number.MIN_SAFE_INTEGER

/** How far one call looks, and how many events there are up to there. */
export const scannedSql = `SELECT max(position) AS last, count(*) AS n
  FROM (SELECT position FROM event WHERE position > ? ORDER BY position LIMIT ${maxScanned})`

/** Leads whose newest change is an event between two positions. */
export const eventsSql = `SELECT e.position, e.lead_id, NULL AS removed_at FROM event e
  WHERE e.position > ? AND e.position <= ? AND e.brand_id = ?
    AND e.position = (SELECT max(n.position) FROM event n WHERE n.lead_id = e.lead_id)
    AND NOT EXISTS (SELECT 1 FROM changed_lead c WHERE c.lead_id = e.lead_id AND c.position > e.position)
  ORDER BY e.position LIMIT ?`

/** Leads whose newest change no event tells, and leads that are gone. */
export const changedSql = `SELECT c.position, c.lead_id, c.removed_at FROM changed_lead c INDEXED BY changed_lead_by_position
  WHERE c.brand_id = ? AND c.position > ? AND c.position <= ?
    AND NOT EXISTS (SELECT 1 FROM event n WHERE n.lead_id = c.lead_id AND n.position > c.position)
  ORDER BY c.position LIMIT ?`

interface ChangeRow {
  readonly position: number
  readonly lead_id: LeadId
  readonly removed_at: number | null
}

interface FeedRow {
  readonly change_epoch: string
  readonly changes_forgotten: number
}

/** The position of the newest change of any brand. */
export const newestPosition = (sql: QueryConnection & Pick<Connection, "nameOf">): number =>
  sql.value<number>("SELECT seq FROM sqlite_sequence WHERE name = ?", [sql.nameOf("event")]) ?? 0

const readsOf = (
  sql: Connection,
  rows: ReadonlyArray<ChangeRow>,
  engagements: LeadQuery["engagements"]
): ReadonlyArray<ChangeRead> => {
  const ids = rows.filter(({ removed_at }) => removed_at === null).map(({ lead_id }) => lead_id)
  const leads = new Map(leadsById(sql, ids).map((lead) => [lead.id, lead]))
  const windowsById = engagements === "none" || ids.length === 0 ? null : windows(sql, ids, engagements)
  return rows.flatMap(({ lead_id: id, removed_at: removedAt }): ReadonlyArray<ChangeRead> => {
    if (removedAt !== null) return [{ type: "removed", id, removedAt }]
    const lead = leads.get(id)
    // The deletion of a brand removes its leads without a trace.
    if (lead === undefined) return []
    return [{ type: "lead", read: { lead, window: windowsById?.get(id) ?? null } }]
  })
}

/** The changes of the brand after a position, from one state of the file. */
export const changesAfter = (
  sql: Connection,
  brandId: string,
  after: ChangePosition | null,
  { engagements, limit }: { readonly limit: number; readonly engagements: LeadQuery["engagements"] }
): ChangePage => {
  const brand = idOf(brandId)
  const feed = sql.get<FeedRow>("SELECT change_epoch, changes_forgotten FROM brand WHERE id = ?", [brand])
  const epoch = feed?.change_epoch ?? ""
  const forgotten = feed?.changes_forgotten ?? 0
  const isExpired =
    after !== null &&
    (after.epoch !== epoch ||
      forgotten > Math.max(after.position, after.since) ||
      after.position > newestPosition(sql))
  if (isExpired) return { isExpired: true }
  const from = after?.position ?? beforeFirst
  const { last, n } = sql.get<{ readonly last: number | null; readonly n: number }>(scannedSql, [from])!
  // Changes behind the last event that was looked at are for the next call, unless it was the last of all.
  const isWhole = n < maxScanned
  const until = isWhole ? newestPosition(sql) : last!
  const rows = [
    ...(n === 0 ? [] : sql.all<ChangeRow>(eventsSql, [from, until, brand, limit + 1])),
    ...sql.all<ChangeRow>(changedSql, [brand, from, until, limit + 1])
  ].sort((a, b) => a.position - b.position)
  const page = rows.slice(0, limit)
  return {
    isExpired: false,
    changes: readsOf(sql, page, engagements),
    next: {
      epoch,
      position: rows.length > limit ? page.at(-1)!.position : Math.max(from, until),
      since: after?.since ?? forgotten
    },
    hasMore: rows.length > limit || !isWhole
  }
}
