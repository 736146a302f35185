/**
 * The feed of changes. A lead's position is that of its newest event, or a later one in `changed_lead`; an event that is not its lead's
 * newest is passed over, so a lead that changed often is read once. [CHG-1]
 */
import type { ChangePage, ChangePosition, ChangeRead, Instant, LeadId, LeadQuery } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"
import { plannerSettings } from "./PlannerSettings.ts"
import { leadsById, windows } from "../rows/LeadReads.ts"

/** Events of the brand that one call looks at. */
const maxScanned = 2000

/** Before the first position: leads that came without any event are below zero. */
const beforeFirst = Number.MIN_SAFE_INTEGER

interface FeedRow {
  readonly change_epoch: string
  readonly changes_forgotten: number
  readonly given: number
}

interface ScannedRow {
  readonly last_event: number | null
  readonly events: number
  readonly last_change: number | null
}

/** The state of the feed, and the newest position that any brand was given, whether or not it was committed. It settles the planner. */
const feedSql = `SELECT ${plannerSettings}, b.change_epoch, b.changes_forgotten,
    (SELECT last_value FROM lead_signals.event_position_seq) AS given
  FROM lead_signals.brand b WHERE b.id = $1`

/** How far one call looks, and how many events there are up to there. */
const scannedSql = `SELECT max(e.position) AS last_event, count(*)::int AS events,
    (SELECT c.position FROM lead_signals.changed_lead c WHERE c.brand_id = $1 AND c.position > $2
     ORDER BY c.position DESC LIMIT 1) AS last_change
  FROM (SELECT position FROM lead_signals.event WHERE brand_id = $1 AND position > $2
    ORDER BY position LIMIT ${maxScanned}) e`

/** Whether no event of the row's lead is later, by one lookup: a limit keeps the planner from joining all events. */
const isNewest = (row: string): string =>
  `(SELECT 1 FROM lead_signals.event n WHERE n.brand_id = $1 AND n.lead_id = ${row}.lead_id
    AND n.position > ${row}.position LIMIT 1) IS NULL`

/** Leads whose newest change is an event between two positions. */
const eventsSql = `SELECT e.position, e.lead_id, NULL::bigint AS removed_at FROM lead_signals.event e
  WHERE e.brand_id = $1 AND e.position > $2 AND e.position <= $3 AND ${isNewest("e")}
    AND coalesce((SELECT c.position FROM lead_signals.changed_lead c
      WHERE c.brand_id = $1 AND c.lead_id = e.lead_id), 0) <= e.position
  ORDER BY e.position LIMIT $4`

/** Leads whose newest change no event tells, and leads that are gone. */
const changedSql = `SELECT c.position, c.lead_id, c.removed_at FROM lead_signals.changed_lead c
  WHERE c.brand_id = $1 AND c.position > $2 AND c.position <= $3
    AND ${isNewest("c")}
  ORDER BY c.position LIMIT $4`

interface ChangeRow {
  readonly position: number
  readonly lead_id: LeadId
  readonly removed_at: Instant | null
}

const readsOf = async (
  db: Connection,
  brand: number,
  rows: ReadonlyArray<ChangeRow>,
  engagements: LeadQuery["engagements"]
): Promise<ReadonlyArray<ChangeRead>> => {
  const ids = rows.filter(({ removed_at }) => removed_at === null).map(({ lead_id }) => lead_id)
  const leads = new Map((await leadsById(db, brand, ids)).map((lead) => [lead.id, lead]))
  const windowsById =
    engagements === "none" || ids.length === 0 ? null : await windows(db, brand, ids, engagements)
  return rows.flatMap(({ lead_id: id, removed_at: removedAt }): ReadonlyArray<ChangeRead> => {
    if (removedAt !== null) return [{ type: "removed", id, removedAt }]
    const lead = leads.get(id)
    // The deletion of a brand removes its leads without a trace.
    if (lead === undefined) return []
    return [{ type: "lead", read: { lead, window: windowsById?.get(id) ?? null } }]
  })
}

/** The changes of the brand after a position, from one snapshot. */
export const changesAfter = async (
  db: Connection,
  brand: number,
  after: ChangePosition | null,
  { engagements, limit }: { readonly limit: number; readonly engagements: LeadQuery["engagements"] }
): Promise<ChangePage> => {
  const from = after?.position ?? beforeFirst
  const feed = await db.get<FeedRow>(feedSql, [brand])
  if (feed === undefined) {
    const next = after ?? { epoch: "", position: from, since: 0 }
    return { isExpired: false, changes: [], next, hasMore: false }
  }
  const { change_epoch: epoch, changes_forgotten, given } = feed
  const isExpired =
    after !== null &&
    (after.epoch !== epoch || changes_forgotten > Math.max(from, after.since) || from > given)
  if (isExpired) return { isExpired: true }
  const since = after?.since ?? changes_forgotten
  if (from === given)
    return { isExpired: false, changes: [], next: { epoch, position: from, since }, hasMore: false }
  const { events, last_change, last_event } = (await db.get<ScannedRow>(scannedSql, [brand, from]))!
  // Changes behind the last event that was looked at are for the next call, unless it was the last of all.
  const isWhole = events < maxScanned
  const until = isWhole ? Math.max(from, last_event ?? from, last_change ?? from) : last_event!
  const query = [brand, from, until, limit + 1]
  const rows = [
    ...(events === 0 ? [] : await db.all<ChangeRow>(eventsSql, query)),
    ...(last_change === null ? [] : await db.all<ChangeRow>(changedSql, query))
  ].sort((a, b) => a.position - b.position)
  const page = rows.slice(0, limit)
  return {
    isExpired: false,
    changes: await readsOf(db, brand, page, engagements),
    next: {
      epoch,
      position: rows.length > limit ? page.at(-1)!.position : until,
      since
    },
    hasMore: rows.length > limit || !isWhole
  }
}
