/**
 * Removes what is due, in one short transaction a piece. Rows that others hold are left to the next round, so that nobody waits for a
 * pruning longer than for its piece.
 */
import type { Instant, RetentionKind, RetentionLimits } from "@lead-signals/domain"
import type { DeliveryState } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"
import { leadColumns, type LeadRow } from "../rows/LeadRows.ts"
import { openLeads } from "../rows/SealedRows.ts"
import { countDeliveries } from "./DeliveryCounts.ts"
import { settlePlanner } from "../query/PlannerSettings.ts"
import { dueDeliveries, type Found, isOlder, isQuiet, isReferredTo, type PieceOf } from "./DueRows.ts"
import { keepPositions, noteRemoved } from "./ChangedLeads.ts"
import { removeLeads } from "./Erasure.ts"
import { CounterChanges } from "./LeadCounters.ts"
import { lockBrandVersions } from "./LeadWrites.ts"
import { tryLockPersons } from "./Locks.ts"
import { removeUnusedKeys } from "./PersonKeys.ts"

/** The rows that a piece removed, by when each was over. */
type Removed = ReadonlyArray<{ readonly at: Instant }>

interface DueDelivery {
  readonly brand_id: number
  readonly seq: number
  readonly webhook_id: number
  readonly ordered_lead: number | null
  readonly state: DeliveryState
  readonly finished_at: Instant
}

/** Dead letters before a delivered one of their webhook and lead, each with the `seq` of one. */
const closedSql = `SELECT x.brand_id, x.seq, given.seq AS by
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS given(webhook_id, ordered_lead, seq) CROSS JOIN LATERAL (
    SELECT brand_id, seq FROM lead_signals.delivery p
    WHERE p.webhook_id = given.webhook_id AND p.ordered_lead = given.ordered_lead AND p.seq < given.seq AND p.state = 'dead' OFFSET 0) x`

const leavePlacesSql = `UPDATE lead_signals.delivery d SET ordered_lead = NULL FROM (
    SELECT l.brand_id, l.seq FROM unnest($1::bigint[], $2::bigint[]) AS given(brand_id, seq) CROSS JOIN LATERAL (
      SELECT brand_id, seq FROM lead_signals.delivery l
      WHERE l.brand_id = given.brand_id AND l.seq = given.seq FOR NO KEY UPDATE SKIP LOCKED) l OFFSET 0) locked
  WHERE d.brand_id = locked.brand_id AND d.seq = locked.seq RETURNING d.seq`

/**
 * Dead letters before a delivered one are skipped no longer. They lose their place before it goes: nothing else would end their naming. Answers
 * those of the rows that may go; others have a dead letter before them that somebody holds. [ORD-5]
 */
const closeDeadLetters = async (
  sql: Connection,
  rows: ReadonlyArray<DueDelivery>
): Promise<ReadonlyArray<DueDelivery>> => {
  const ordered = rows.filter(({ ordered_lead }) => ordered_lead !== null)
  if (ordered.length === 0) return rows
  const closed = await sql.all<{ readonly brand_id: number; readonly seq: number; readonly by: number }>(
    closedSql,
    [
      ordered.map(({ webhook_id }) => webhook_id),
      ordered.map(({ ordered_lead }) => ordered_lead),
      ordered.map(({ seq }) => seq)
    ]
  )
  if (closed.length === 0) return rows
  const letters = [...new Map(closed.map((each) => [each.seq, each])).values()]
  const left = await sql.all<{ readonly seq: number }>(leavePlacesSql, [
    letters.map(({ brand_id }) => brand_id),
    letters.map(({ seq }) => seq)
  ])
  const done = new Set(left.map(({ seq }) => seq))
  const held = new Set(closed.flatMap(({ by, seq }) => (done.has(seq) ? [] : by)))
  return rows.filter(({ seq }) => !held.has(seq))
}

/**
 * Locks what is due and passes over what others hold, as a piece must keep no attempt waiting; that is due in the next round. Before a dead
 * letter goes, those before it lose their places: `closeDeadLetters`.
 */
const removeDeliveries =
  (state: "delivered" | "dead") =>
  async (sql: Connection, { before, limit }: PieceOf): Promise<Removed> => {
    await sql.run(settlePlanner)
    const due = await sql.all<DueDelivery>(`${dueDeliveries(state)} FOR UPDATE SKIP LOCKED`, [before, limit])
    const rows = state === "dead" ? due : await closeDeadLetters(sql, due)
    if (rows.length === 0) return []
    const given = "unnest($1::bigint[], $2::bigint[]) AS given(brand_id, seq)"
    await sql.run(
      `WITH attempts AS (
           DELETE FROM lead_signals.attempt a USING ${given}
           WHERE a.brand_id = given.brand_id AND a.delivery_seq = given.seq),
         bodies AS (
           DELETE FROM lead_signals.delivery_body b USING ${given}
           WHERE b.brand_id = given.brand_id AND b.seq = given.seq)
       DELETE FROM lead_signals.delivery d USING ${given} WHERE d.brand_id = given.brand_id AND d.seq = given.seq`,
      [rows.map(({ brand_id }) => brand_id), rows.map(({ seq }) => seq)]
    )
    await countDeliveries(
      sql,
      rows.map((row) => ({ brandId: row.brand_id, webhookId: row.webhook_id, state: row.state, n: -1 }))
    )
    return rows.map(({ finished_at }) => ({ at: finished_at }))
  }

const noteNewestEvent = (sql: Connection, position: number): Promise<number> =>
  sql.run("UPDATE lead_signals.pruning SET newest_event = greatest(newest_event, $1) WHERE id = 1", [
    position
  ])

/**
 * Looks at found events again under the lock of their leads: a delivery may have been queued for one since it was found. The newest
 * removed position is noted, so that a reader from before it begins anew.
 */
const removeEvents = async (sql: Connection, _of: PieceOf, { brandId, keys }: Found): Promise<Removed> => {
  // A call that queues the newest event of a lead holds the lead.
  const leads = await sql.all<{ readonly id: number }>(
    `SELECT l.id FROM lead_signals.lead l WHERE l.brand_id = $1 AND l.id IN (
         SELECT e.lead_id FROM lead_signals.event e WHERE e.brand_id = $1 AND e.position = ANY ($2::bigint[]))
       ORDER BY l.id FOR UPDATE SKIP LOCKED`,
    [brandId, keys]
  )
  const held = leads.map(({ id }) => id)
  await keepPositions(sql, brandId, { positions: keys.map(Number), leads: held })
  const rows = await sql.all<{ readonly position: number; readonly at: Instant }>(
    `DELETE FROM lead_signals.event e
       WHERE e.brand_id = $1 AND e.position = ANY ($2::bigint[]) AND e.lead_id = ANY ($3::bigint[])
         AND NOT EXISTS (
           SELECT 1 FROM lead_signals.delivery d WHERE d.brand_id = e.brand_id AND d.position = e.position)
       RETURNING e.position, e.occurred_at AS at`,
    [brandId, keys, held]
  )
  if (rows.length > 0) await noteNewestEvent(sql, Math.max(...rows.map(({ position }) => position)))
  return rows
}

/** Authors of the posts of the brand's engagements that a condition selects by its keys. Their keys may go with the engagements. */
const authorsOf = async (
  sql: Connection,
  brandId: number,
  condition: "id = ANY ($2::text[])" | "lead_id = ANY ($2::bigint[])",
  keys: Found["keys"]
): Promise<ReadonlyArray<string>> => {
  const rows = await sql.all<{ readonly author: string }>(
    `SELECT DISTINCT author_ext_id AS author FROM lead_signals.engagement
       WHERE brand_id = $1 AND ${condition} AND author_ext_id IS NOT NULL`,
    [brandId, keys]
  )
  return rows.map(({ author }) => author)
}

/**
 * Looks at found engagements again under the lock of their leads, as `removeEvents` does. In an encrypted database those with posts of an author
 * whom others write are left to the next round, too: nothing would look at the author's key again. [PII-4]
 */
const removeEngagements = async (
  sql: Connection,
  { before }: PieceOf,
  { brandId, keys }: Found
): Promise<Removed> => {
  const leads = await sql.all<{ readonly id: number }>(
    `SELECT l.id FROM lead_signals.lead l WHERE l.brand_id = $1 AND l.id = ANY (ARRAY(
         SELECT g.lead_id FROM lead_signals.engagement g WHERE g.brand_id = $1 AND g.id = ANY ($2::text[])))
       ORDER BY l.id FOR UPDATE SKIP LOCKED`,
    [brandId, keys]
  )
  const authors =
    sql.keys === null
      ? null
      : await tryLockPersons(sql, brandId, await authorsOf(sql, brandId, "id = ANY ($2::text[])", keys))
  const rows = await sql.all<{ readonly at: Instant }>(
    `DELETE FROM lead_signals.engagement WHERE brand_id = $1 AND id IN (
         SELECT g.id FROM lead_signals.engagement g
         WHERE g.brand_id = $1 AND g.id = ANY ($2::text[]) AND g.lead_id = ANY ($4::bigint[])
           AND ${isOlder("g.tracked_at", "$3")} AND NOT ${isReferredTo}
           AND ($5::text[] IS NULL OR g.author_ext_id IS NULL OR g.author_ext_id = ANY ($5::text[]))
         FOR UPDATE SKIP LOCKED)
       RETURNING tracked_at AS at`,
    [brandId, keys, before, leads.map(({ id }) => id), authors]
  )
  if (rows.length > 0) await removeUnusedKeys(sql, brandId, authors ?? [])
  return rows
}

/** Looks at found leads again under their locks, as `removeEvents` does. The caller holds the brand. */
const removePrunedLeads =
  (maxBucketLeads: number): Remove =>
  async (sql: Connection, { before }: PieceOf, { brandId, keys }: Found, now): Promise<Removed> => {
    const locked = await sql.all<{ readonly id: number }>(
      `SELECT l.id FROM lead_signals.lead l
         WHERE l.brand_id = $1 AND l.id = ANY ($3::bigint[]) AND ${isOlder("l.updated_at", "$2")}
         ORDER BY l.id FOR UPDATE`,
      [brandId, before, keys]
    )
    // A statement of its own: the one that waited for a lock does not see a delivery that the lock's holder queued.
    const rows = await sql.all<LeadRow>(
      `SELECT ${leadColumns} FROM lead_signals.lead l
         WHERE l.brand_id = $1 AND l.id = ANY ($2::bigint[]) AND ${isQuiet} ORDER BY l.id`,
      [brandId, locked.map(({ id }) => id)]
    )
    if (rows.length === 0) return []
    const newest = await sql.get<{ readonly position: number | null }>(
      "SELECT max(position) AS position FROM lead_signals.event WHERE brand_id = $1 AND lead_id = ANY ($2::bigint[])",
      [brandId, rows.map(({ id }) => id)]
    )
    await noteNewestEvent(sql, newest?.position ?? 0)
    const counters = new CounterChanges()
    const persons = rows.map(({ ext_id }) => ext_id)
    const ids = rows.map(({ id }) => id)
    const authors =
      sql.keys === null ? [] : await authorsOf(sql, brandId, "lead_id = ANY ($2::bigint[])", ids)
    await openLeads(sql, rows)
    await removeLeads(sql, brandId, rows, counters)
    await removeUnusedKeys(sql, brandId, [...persons, ...authors])
    await lockBrandVersions(sql, [brandId])
    await noteRemoved(
      sql,
      brandId,
      rows.map(({ id }) => id),
      now
    )
    await counters.apply(sql, maxBucketLeads)
    return rows.map(({ updated_at }) => ({ at: updated_at }))
  }

const removeSuppressions = (sql: Connection, { before }: PieceOf, { keys }: Found): Promise<Removed> => {
  const pairs = keys.map((key) => String(key).split(" "))
  return sql.all(
    `DELETE FROM lead_signals.suppression WHERE (brand_id, hash) IN (
         SELECT s.brand_id, s.hash FROM unnest($1::bigint[], $2::text[]) AS given(brand_id, hash)
           JOIN lead_signals.suppression s USING (brand_id, hash)
         WHERE s.erased_at < $3 FOR UPDATE OF s SKIP LOCKED)
       RETURNING erased_at AS at`,
    [pairs.map(([brandId]) => Number(brandId)), pairs.map(([, hash]) => hash!), before]
  )
}

type Remove = (sql: Connection, of: PieceOf, found: Found, now: Instant) => Promise<Removed>

/** Removes what a piece found and what is still due, within a transaction. */
export const removals = (maxBucketLeads: number): Readonly<Record<RetentionKind, Remove>> => ({
  deliveries: removeDeliveries("delivered"),
  deadLetters: removeDeliveries("dead"),
  events: removeEvents,
  engagements: removeEngagements,
  leads: removePrunedLeads(maxBucketLeads),
  suppressions: removeSuppressions
})

/** A limit that nothing is due by: engagements can be of before 1970. */
const never = Number.MIN_SAFE_INTEGER

const countSql = (() => {
  const due = (state: string, limit: string): string =>
    `SELECT count(*) FROM lead_signals.delivery WHERE state = '${state}' AND state <> 'pending' AND finished_at < ${limit}`
  const staysDelivery = `EXISTS (
    SELECT 1 FROM lead_signals.delivery d WHERE d.brand_id = e.brand_id AND d.position = e.position AND NOT (
      d.state <> 'pending' AND d.finished_at < CASE d.state WHEN 'dead' THEN $2::bigint ELSE $1::bigint END))`
  const staysActivity = `e.event = 'activity.detected' AND (e.occurred_at >= $3 OR ${staysDelivery})`
  return `SELECT (${due("delivered", "$1")}) AS "deliveries", (${due("dead", "$2")}) AS "deadLetters",
    (SELECT count(*) FROM lead_signals.event e
     WHERE e.event <> 'lead2.created' AND e.occurred_at < $3 AND NOT ${staysDelivery}) AS "events",
    (SELECT count(*) FROM lead_signals.engagement g WHERE g.tracked_at < $4 AND NOT EXISTS (
       SELECT 1 FROM lead_signals.event e
       WHERE e.brand_id = g.brand_id AND e.lead_id = g.lead_id AND (
         (e.engagement_id = g.id AND ${staysActivity}) OR (e.event = 'lead2.created' AND ${staysDelivery})))) AS "engagements",
    (SELECT count(*) FROM lead_signals.lead l WHERE l.updated_at < $5 AND NOT EXISTS (
       SELECT 1 FROM lead_signals.event e
       WHERE e.brand_id = l.brand_id AND e.lead_id = l.id AND (${staysActivity} OR ${staysDelivery}))) AS "leads",
    (SELECT count(*) FROM lead_signals.suppression WHERE erased_at < $6) AS "suppressions"`
})()

/** Counts what is due; what refers to a row does not count when it is due itself. */
export const countDue = async (
  sql: Connection,
  limits: RetentionLimits
): Promise<Readonly<Record<RetentionKind, number>>> => {
  const { deadLetters, deliveries, engagements, events, leads, suppressions } = limits
  const given = [deliveries, deadLetters, events, engagements, leads, suppressions]
  const row = await sql.get<Record<RetentionKind, number>>(
    countSql,
    given.map((limit) => limit ?? never)
  )
  return row!
}
