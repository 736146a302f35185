/**
 * What is due, piece by piece, and its removal. Finished deliveries are found by an index of their own. Events are walked in the order
 * of their positions, engagements lead by lead, so that neither needs an index that each write would pay for. A piece looks at a bounded
 * number of rows, and the next one goes on behind them, also where what it looked at stays.
 */
import type { Instant, LeadId, PruneCursor, RetentionKind, RetentionLimits } from "@lead-signals/domain"
import type { Connection, QueryConnection } from "../connection/Connection.ts"
import { writeDerivedChanges } from "../rank-index/DerivedChanges.ts"
import { leadsById } from "../rows/LeadReads.ts"
import { changeSearch } from "../search/SearchTail.ts"
import { keepPositions, noteRemoved } from "./ChangedLeads.ts"
import { removeLeads } from "./Erasure.ts"

/** A part of a walk. */
export interface PieceOf {
  readonly before: Instant
  readonly after: PruneCursor | null
  readonly limit: number
}

/** What one piece is to remove: keys of rows, and when the oldest was over. */
export interface Found {
  readonly keys: ReadonlyArray<number | string>
  readonly oldest: Instant | null
  readonly next: PruneCursor | null
}

interface Row {
  readonly key: number | string
  readonly at: Instant
}

const foundOf = (rows: ReadonlyArray<Row>, next: PruneCursor | null): Found => ({
  keys: rows.map(({ key }) => key),
  oldest: rows.length === 0 ? null : Math.min(...rows.map(({ at }) => at)),
  next
})

/** Where each piece of deliveries begins anew: what it has removed is not found again. */
const again: PruneCursor = []

const finished =
  (state: "delivered" | "dead") =>
  (sql: QueryConnection, { before, limit }: PieceOf): Found => {
    // The index is partial: its condition stands in the query, too.
    const rows = sql.all<Row>(
      `SELECT seq AS key, finished_at AS at FROM delivery
         WHERE state = '${state}' AND state <> 'pending' AND finished_at < ? ORDER BY finished_at, seq LIMIT ?`,
      [before, limit]
    )
    return foundOf(rows, rows.length < limit ? null : again)
  }

/** Events or erasures that one piece looks at: many events stay, those of `lead2.created` as long as their leads. */
const lookedAt = 2000

interface WalkedEvent extends Row {
  readonly event: string
  readonly key: number
  readonly has_delivery: number
}

/**
 * Whether an event behind the position is due: the newest, or one of those at distances of 1, 2, 4 and so on. As many due ones as there are young
 * ones before them have one of these.
 */
const isFollowedByDue = (sql: QueryConnection, position: number, before: Instant): boolean =>
  sql.value(
    `WITH RECURSIVE probe(distance) AS (
       SELECT 1 UNION ALL SELECT distance * 2 FROM probe WHERE distance < (SELECT max(position) FROM event))
     SELECT 1 WHERE (SELECT occurred_at FROM event ORDER BY position DESC LIMIT 1) < ?
       OR EXISTS (SELECT 1 FROM probe WHERE
         (SELECT occurred_at FROM event WHERE position >= ? + distance ORDER BY position LIMIT 1) < ?)`,
    [before, position, before]
  ) !== undefined

/** Passes over young events before due ones, which a clock that was set back leaves. Without any, it ends at the first page of young ones. */
const events = (sql: QueryConnection, { after, before, limit }: PieceOf): Found => {
  const rows = sql.all<WalkedEvent>(
    `SELECT e.position AS key, e.occurred_at AS at, e.event AS event,
         EXISTS (SELECT 1 FROM delivery d WHERE d.position = e.position) AS has_delivery
       FROM event e WHERE e.position > ? ORDER BY e.position LIMIT ?`,
    [after?.[0] ?? 0, lookedAt]
  )
  const due: Array<Row> = []
  for (const row of rows) {
    if (row.at >= before || row.event === "lead2.created" || row.has_delivery === 1) continue
    due.push(row)
    if (due.length === limit) return foundOf(due, [row.key])
  }
  if (rows.length < lookedAt) return foundOf(due, null)
  const last = rows.at(-1)!
  return foundOf(due, last.at < before || isFollowedByDue(sql, last.key, before) ? [last.key] : null)
}

/** Leads whose engagements one piece looks at. */
const leadsLookedAt = 1000

/**
 * Whether the activity.detected of an engagement `g` is left, or a delivery that can list it: one of its lead's lead2.created. An erasure finds
 * the bodies that name an author by the engagements with the author's posts. [PII-3]
 */
const isReferredTo = `(EXISTS (
    SELECT 1 FROM event e WHERE e.lead_id = g.lead_id AND e.engagement_id = g.id AND e.event = 'activity.detected')
  OR EXISTS (
    SELECT 1 FROM event e CROSS JOIN delivery d ON d.position = e.position
    WHERE e.lead_id = g.lead_id AND e.event = 'lead2.created'))`

const engagements = (sql: QueryConnection, { after, before, limit }: PieceOf): Found => {
  const from = after?.[0] ?? 0
  const last = sql.value<number | null>(
    "SELECT max(id) FROM (SELECT id FROM lead WHERE id >= ? ORDER BY id LIMIT ?)",
    [from, leadsLookedAt]
  )
  if (last == null) return foundOf([], null)
  const rows = sql.all<Row & { readonly lead_id: number }>(
    `SELECT g.seq AS key, g.tracked_at AS at, g.lead_id AS lead_id FROM lead l
       CROSS JOIN engagement g INDEXED BY engagement_by_lead ON g.lead_id = l.id AND g.tracked_at < ?
       WHERE l.id BETWEEN ? AND ? AND NOT ${isReferredTo} ORDER BY l.id LIMIT ?`,
    [before, from, last, limit]
  )
  if (rows.length === limit) return foundOf(rows, [rows.at(-1)!.lead_id])
  const isMore = sql.value("SELECT 1 FROM lead WHERE id > ? LIMIT 1", [last]) !== undefined
  return foundOf(rows, isMore ? [last + 1] : null)
}

/** Leads that are due by their age, and brands, that one piece looks at. */
const [dueLookedAt, brandsLookedAt] = [500, 100]

/** Less than any instant. */
const first = Number.MIN_SAFE_INTEGER

/** Whether nothing about a lead is left that a receiver may still get: an activity.detected, or a delivery. */
const isQuiet = (leadId: string): string => `NOT EXISTS (
  SELECT 1 FROM event e WHERE e.lead_id = ${leadId}
    AND (e.event = 'activity.detected' OR EXISTS (SELECT 1 FROM delivery d WHERE d.position = e.position)))`

/**
 * Walks the brands, and each brand's leads from the one that was changed longest ago. A lead that waits for its events stays, and is looked
 * at once a round.
 */
const leads = (sql: QueryConnection, { after, before, limit }: PieceOf): Found => {
  const [firstBrand = 0, ...from] = after ?? []
  const brands = sql.column<number>(
    "SELECT id FROM brand WHERE id >= ? AND deleted_at IS NULL ORDER BY id LIMIT ?",
    [firstBrand, brandsLookedAt]
  )
  let looked = 0
  const due: Array<Row> = []
  for (const brand of brands) {
    const [at = first, id = 0] = brand === firstBrand ? from : []
    const left = dueLookedAt - looked
    // Many leads may have been changed at one instant: each statement begins at its first row.
    const walk = (condition: string, params: ReadonlyArray<number>, max: number) =>
      sql.all<Row & { readonly key: number }>(
        `SELECT id AS key, updated_at AS at FROM lead INDEXED BY lead_by_updated
           WHERE brand_id = ? AND ${condition} ORDER BY updated_at, id LIMIT ?`,
        [brand, ...params, max]
      )
    const rows = [...(at < before ? walk("updated_at = ? AND id > ?", [at, id], left) : [])]
    if (rows.length < left)
      rows.push(...walk("updated_at > ? AND updated_at < ?", [at, before], left - rows.length))
    looked += rows.length
    const quiet = new Set(
      sql.column<number>(`SELECT l.value FROM json_each(?) l WHERE ${isQuiet("l.value")} LIMIT ?`, [
        JSON.stringify(rows.map(({ key }) => key)),
        limit - due.length
      ])
    )
    const found = rows.filter(({ key }) => quiet.has(key))
    due.push(...found)
    const last = due.length === limit ? found.at(-1) : rows.at(-1)
    if (due.length === limit || rows.length === left) return foundOf(due, [brand, last!.at, last!.key])
  }
  return foundOf(due, brands.length < brandsLookedAt ? null : [brands.at(-1)! + 1])
}

/** Erasures are walked in the order of their hashes, which are hex: a cursor holds the first 48 bits of the last one. */
const suppressions = (sql: QueryConnection, { after, before, limit }: PieceOf): Found => {
  const [brand, prefix] = [after?.[0] ?? 0, (after?.[1] ?? 0).toString(16).padStart(12, "0")]
  const rows = sql.all<{ readonly brand_id: number; readonly hash: string; readonly at: Instant | null }>(
    `SELECT brand_id, hash, erased_at AS at FROM suppression
       WHERE (brand_id, hash) >= (?, ?) ORDER BY brand_id, hash LIMIT ?`,
    [brand, prefix, lookedAt]
  )
  const due: Array<Row> = []
  const cursor = (row: (typeof rows)[number]): PruneCursor => [
    row.brand_id,
    Number.parseInt(row.hash.slice(0, 12), 16)
  ]
  for (const row of rows) {
    if (row.at === null || row.at >= before) continue
    due.push({ key: `${row.brand_id} ${row.hash}`, at: row.at })
    if (due.length === limit) return foundOf(due, cursor(row))
  }
  return foundOf(due, rows.length < lookedAt ? null : cursor(rows.at(-1)!))
}

/** Finds what one piece removes. */
export const find: Readonly<Record<RetentionKind, (sql: QueryConnection, of: PieceOf) => Found>> = {
  deliveries: finished("delivered"),
  deadLetters: finished("dead"),
  events,
  engagements,
  leads,
  suppressions
}

const given = "SELECT value FROM json_each(?)"

/** Each statement removes rows that no remaining row refers to. */
const deliveryRemovals = [
  `DELETE FROM attempt WHERE delivery_seq IN (${given})`,
  `DELETE FROM delivery_body WHERE seq IN (${given})`,
  `DELETE FROM delivery WHERE seq IN (${given})`
]

const removeDeliveries = (sql: Connection, seqs: Found["keys"]): void => {
  for (const statement of deliveryRemovals) sql.run(statement, [JSON.stringify(seqs)])
}

/** Dead letters before a delivered one are skipped no longer. They lose their place with it: nothing would end their naming. [ORD-5] */
const removeDelivered = (sql: Connection, seqs: Found["keys"]): void => {
  sql.run(
    `UPDATE delivery SET ordered_lead = NULL WHERE seq IN (
       SELECT x.seq FROM json_each(?) j CROSS JOIN delivery d ON d.seq = j.value
         CROSS JOIN delivery x ON x.webhook_id = d.webhook_id AND x.ordered_lead = d.ordered_lead AND x.seq < d.seq
       WHERE x.state = 'dead')`,
    [JSON.stringify(seqs)]
  )
  removeDeliveries(sql, seqs)
}

const removePrunedLeads = (sql: Connection, ids: ReadonlyArray<LeadId>, now: Instant): void => {
  const all = leadsById(sql, ids)
  sql.run(
    `UPDATE pruning SET newest_event = max(newest_event, coalesce(
         (SELECT max(position) FROM event WHERE lead_id IN (${given})), 0)) WHERE id = 1`,
    [JSON.stringify(ids)]
  )
  for (const brandId of new Set(all.map((lead) => lead.brandId))) {
    const ofBrand = all.filter((lead) => lead.brandId === brandId).map(({ id }) => id)
    removeLeads(sql, Number(brandId), ofBrand)
    noteRemoved(sql, Number(brandId), { ids: ofBrand, now })
  }
  for (const lead of all) changeSearch(sql, lead, null)
}

/** Removes what a piece found, within the transaction that found it. */
export const remove: Readonly<
  Record<RetentionKind, (sql: Connection, keys: Found["keys"], now: Instant) => void>
> = {
  deliveries: removeDelivered,
  deadLetters: removeDeliveries,
  events: (sql, positions) => {
    sql.run("UPDATE pruning SET newest_event = max(newest_event, ?) WHERE id = 1", [
      Math.max(...positions.map(Number))
    ])
    keepPositions(sql, positions)
    sql.run(`DELETE FROM event WHERE position IN (${given})`, [JSON.stringify(positions)])
  },
  engagements: (sql, seqs) => {
    writeDerivedChanges(sql)
    sql.run(`DELETE FROM engagement WHERE seq IN (${given})`, [JSON.stringify(seqs)])
  },
  leads: (sql, ids, now) => removePrunedLeads(sql, ids.map(Number), now),
  suppressions: (sql, keys) => {
    const pairs = keys.map((key) => String(key).split(" "))
    sql.run(
      `DELETE FROM suppression WHERE (brand_id, hash) IN (
         SELECT CAST(value ->> 0 AS INTEGER), value ->> 1 FROM json_each(?))`,
      [JSON.stringify(pairs)]
    )
  }
}

/** A limit that nothing is due by: engagements can be of before 1970. */
const never = Number.MIN_SAFE_INTEGER

/** Counts what is due, in order of `limits`; what refers to a row does not count when it is due itself. */
export const countDue = (
  sql: QueryConnection,
  limits: RetentionLimits
): Readonly<Record<RetentionKind, number>> => {
  const [delivered, dead, event, engagement, lead, suppression] = [
    limits.deliveries ?? never,
    limits.deadLetters ?? never,
    limits.events ?? never,
    limits.engagements ?? never,
    limits.leads ?? never,
    limits.suppressions ?? never
  ].map(Math.floor)
  const count = (query: string): number => sql.value<number>(`SELECT count(*) FROM ${query}`)!
  const delivery = (state: string, before: number): string =>
    `delivery WHERE state = '${state}' AND state <> 'pending' AND finished_at < ${before}`
  const hasDelivery = `EXISTS (SELECT 1 FROM delivery d WHERE d.position = e.position AND NOT (
    d.state <> 'pending' AND d.finished_at < iif(d.state = 'dead', ${dead}, ${delivered})))`
  const staysActivity = `e.event = 'activity.detected' AND (e.occurred_at >= ${event} OR ${hasDelivery})`
  return {
    deliveries: count(delivery("delivered", delivered!)),
    deadLetters: count(delivery("dead", dead!)),
    events: count(
      `event e WHERE e.event <> 'lead2.created' AND e.occurred_at < ${event} AND NOT ${hasDelivery}`
    ),
    engagements: count(
      `engagement g WHERE g.tracked_at < ${engagement} AND NOT EXISTS (
         SELECT 1 FROM event e WHERE e.lead_id = g.lead_id AND (
           (e.engagement_id = g.id AND ${staysActivity}) OR (e.event = 'lead2.created' AND ${hasDelivery})))`
    ),
    leads: count(
      `lead l WHERE l.updated_at < ${lead} AND NOT EXISTS (
         SELECT 1 FROM event e WHERE e.lead_id = l.id AND (${staysActivity} OR ${hasDelivery}))`
    ),
    suppressions: count(`suppression WHERE erased_at < ${suppression}`)
  }
}
