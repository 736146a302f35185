/**
 * What is due, piece by piece, over whatever state a statement sees: a removal looks again, under locks. Finished deliveries are found
 * by an index of their own. Events are walked brand by brand in the order of their positions, engagements lead by lead, so that neither
 * needs an index that each write would pay for. A piece looks at a bounded number of rows, and the next one goes on behind them, also
 * where what it looked at stays.
 */
import type { Instant, PruneCursor, RetentionKind } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"
import { plannerSettings, settlePlanner } from "../query/PlannerSettings.ts"

/** A part of a walk. */
export interface PieceOf {
  readonly before: Instant
  readonly after: PruneCursor | null
  readonly limit: number
}

/** What one piece is to remove. */
export interface Found {
  /** The brand of them all; 0 where the kind is not looked for brand by brand. */
  readonly brandId: number
  /** Numbers of deliveries, positions of events, ids of engagements or leads, or hashes behind their brands. */
  readonly keys: ReadonlyArray<number | string>
  readonly next: PruneCursor | null
}

/** Where each piece of deliveries begins anew: what it has removed is not found again. */
const again: PruneCursor = []

/** Finished deliveries that are due. */
export const dueDeliveries = (state: "delivered" | "dead"): string =>
  `SELECT brand_id, seq, webhook_id, ordered_lead, state, finished_at FROM lead_signals.delivery
   WHERE state = '${state}' AND state <> 'pending' AND finished_at < $1 ORDER BY finished_at, seq LIMIT $2`

const finished =
  (state: "delivered" | "dead") =>
  async (sql: Connection, { before, limit }: PieceOf): Promise<Found> => {
    await sql.run(settlePlanner)
    const rows = await sql.all<{ readonly seq: number }>(dueDeliveries(state), [before, limit])
    return { brandId: 0, keys: rows.map(({ seq }) => seq), next: rows.length < limit ? null : again }
  }

/** Rows that a piece looks at: events or erasures; leads whose engagements it looks at; leads that are due by their age; and brands. */
const [lookedAt, leadsLookedAt, dueLookedAt, brandsLookedAt] = [2000, 1000, 500, 100]

/** Walks the brands from that of the cursor on until a piece is found. `of` answers where to go on in the brand; null: with the next. */
const walkBrands = async (
  sql: Connection,
  after: PruneCursor | null,
  of: (
    brandId: number,
    from: PruneCursor
  ) => Promise<{ readonly keys: Found["keys"]; readonly next: PruneCursor | null }>
): Promise<Found> => {
  const [first = 0, ...from] = after ?? []
  const brands = await sql.all<{ readonly id: number }>(
    `SELECT ${plannerSettings}, id FROM lead_signals.brand WHERE id >= $1 AND deleted_at IS NULL ORDER BY id LIMIT $2`,
    [first, brandsLookedAt]
  )
  for (const { id } of brands) {
    const { keys, next } = await of(id, id === first ? from : [])
    if (next !== null) return { brandId: id, keys, next: [id, ...next] }
    if (keys.length > 0) return { brandId: id, keys, next: [id + 1] }
  }
  return {
    brandId: 0,
    keys: [],
    next: brands.length < brandsLookedAt ? null : [brands.at(-1)!.id + 1]
  }
}

/** A condition on an event `e`. `OFFSET 0`, here and below, makes a lookup for each row: no plan reads the whole table instead. */
const hasDelivery = `EXISTS (
  SELECT 1 FROM lead_signals.delivery d WHERE d.brand_id = e.brand_id AND d.position = e.position OFFSET 0)`

interface WalkedEvent {
  readonly position: number
  readonly at: Instant
  readonly event: string
  readonly has_delivery: boolean
}

/**
 * Whether an event of the brand behind the position is due: the newest, or one of those at distances of 1, 2, 4 and so on. As many due ones as
 * there are young ones before them have one of these.
 */
const isFollowedByDue = async (
  sql: Connection,
  brandId: number,
  position: number,
  before: Instant
): Promise<boolean> => {
  const found = await sql.get(
    `SELECT 1 AS found FROM generate_series(0, 52) AS probe (power)
       CROSS JOIN LATERAL (
         SELECT e.occurred_at FROM lead_signals.event e WHERE e.brand_id = $1 AND e.position >= $2 + (1::bigint << power)
           ORDER BY e.position LIMIT 1) AS probed
       WHERE probed.occurred_at < $3
     UNION ALL SELECT 1 FROM (
         SELECT e.occurred_at FROM lead_signals.event e WHERE e.brand_id = $1 ORDER BY e.position DESC LIMIT 1) AS newest
       WHERE newest.occurred_at < $3 LIMIT 1`,
    [brandId, position, before]
  )
  return found !== undefined
}

/** Passes over young events before due ones, which a clock that was set back leaves. Without any, it ends at the first page of young ones. */
const events = (sql: Connection, { after, before, limit }: PieceOf): Promise<Found> =>
  walkBrands(sql, after, async (brandId, [from = 0]) => {
    const rows = await sql.all<WalkedEvent>(
      `SELECT e.position, e.occurred_at AS at, e.event, ${hasDelivery} AS has_delivery
         FROM lead_signals.event e WHERE e.brand_id = $1 AND e.position > $2 ORDER BY e.position LIMIT $3`,
      [brandId, from, lookedAt]
    )
    const keys: Array<number> = []
    for (const row of rows) {
      if (row.at >= before || row.event === "lead2.created" || row.has_delivery) continue
      keys.push(row.position)
      if (keys.length === limit) return { keys, next: [row.position] }
    }
    if (rows.length < lookedAt) return { keys, next: null }
    const last = rows.at(-1)!
    const isMore = last.at < before || (await isFollowedByDue(sql, brandId, last.position, before))
    return { keys, next: isMore ? [last.position] : null }
  })

/** Whether an instant is before another, where rows are found by an id: no index by time answers it. */
export const isOlder = (at: string, before: string): string =>
  `(CASE WHEN ${at} < ${before} THEN 1 END) IS NOT NULL`

/**
 * Whether the activity.detected of an engagement `g` is left, or a delivery that can list it: one of its lead's lead2.created. An erasure finds
 * the bodies that name an author by the engagements with the author's posts. [PII-3]
 */
export const isReferredTo = `(EXISTS (
    SELECT 1 FROM lead_signals.event e
    WHERE e.brand_id = g.brand_id AND e.lead_id = g.lead_id AND e.engagement_id = g.id AND e.event = 'activity.detected'
    OFFSET 0)
  OR EXISTS (
    SELECT 1 FROM lead_signals.event e
    WHERE e.brand_id = g.brand_id AND e.lead_id = g.lead_id AND e.event = 'lead2.created' AND ${hasDelivery} OFFSET 0))`

const engagements = (sql: Connection, { after, before, limit }: PieceOf): Promise<Found> =>
  walkBrands(sql, after, async (brandId, [from = 0]) => {
    const last = await sql.get<{ readonly id: number | null; readonly n: number }>(
      `SELECT max(id) AS id, count(*)::integer AS n FROM (
         SELECT id FROM lead_signals.lead WHERE brand_id = $1 AND id >= $2 ORDER BY id LIMIT $3) l`,
      [brandId, from, leadsLookedAt]
    )
    if (last!.id === null) return { keys: [], next: null }
    const rows = await sql.all<{ readonly id: string; readonly lead_id: number }>(
      `SELECT g.id, g.lead_id FROM lead_signals.lead l CROSS JOIN LATERAL (
         SELECT g.id, g.lead_id FROM lead_signals.engagement g
         WHERE g.brand_id = l.brand_id AND g.lead_id = l.id AND ${isOlder("g.tracked_at", "$4")} AND NOT ${isReferredTo}
         ORDER BY g.tracked_at, g.id OFFSET 0) g
       WHERE l.brand_id = $1 AND l.id BETWEEN $2 AND $3 ORDER BY l.id LIMIT $5`,
      [brandId, from, last!.id, before, limit]
    )
    const keys = rows.map(({ id }) => id)
    if (rows.length === limit) return { keys, next: [rows.at(-1)!.lead_id] }
    return { keys, next: last!.n < leadsLookedAt ? null : [last!.id + 1] }
  })

/** Whether nothing about a lead `l` is left that a receiver may still get: an activity.detected, or a delivery. */
export const isQuiet = `NOT EXISTS (
  SELECT 1 FROM lead_signals.event e WHERE e.brand_id = l.brand_id AND e.lead_id = l.id
    AND (e.event = 'activity.detected' OR ${hasDelivery}) OFFSET 0)`

/** Less than any instant. */
const first = Number.MIN_SAFE_INTEGER

/**
 * Walks each brand's leads from the one that was changed longest ago. A lead that waits for its events stays, and is looked at once a
 * round. The removal looks at the leads again, under the lock of the brand.
 */
const leads = (sql: Connection, { after, before, limit }: PieceOf): Promise<Found> => {
  let looked = 0
  return walkBrands(sql, after, async (brandId, [at = first, id = 0]) => {
    const left = dueLookedAt - looked
    const rows = await sql.all<{ readonly id: number; readonly at: Instant }>(
      `SELECT id, updated_at AS at FROM lead_signals.lead
         WHERE brand_id = $1 AND updated_at < $2 AND (updated_at, id) > ($3, $4) ORDER BY updated_at, id LIMIT $5`,
      [brandId, before, at, id, left]
    )
    looked += rows.length
    if (rows.length === 0) return { keys: [], next: null }
    const quiet = await sql.all<{ readonly id: number }>(
      `SELECT l.id FROM (SELECT $1::bigint AS brand_id, given.id FROM unnest($2::bigint[]) AS given(id)) l
         WHERE ${isQuiet} LIMIT $3`,
      [brandId, rows.map((row) => row.id), limit]
    )
    const due = new Set(quiet.map((row) => row.id))
    const last = due.size === limit ? rows.findLast((row) => due.has(row.id))! : rows.at(-1)!
    const isEnd = due.size < limit && rows.length < left
    return { keys: [...due], next: isEnd ? null : [last.at, last.id] }
  })
}

/** Erasures are walked in the order of their hashes, which are hex: a cursor holds the first 48 bits of the last one. */
const suppressions = async (sql: Connection, { after, before, limit }: PieceOf): Promise<Found> => {
  const [brand, prefix] = [after?.[0] ?? 0, (after?.[1] ?? 0).toString(16).padStart(12, "0")]
  interface Erasure {
    readonly brand_id: number
    readonly hash: string
    readonly at: Instant | null
  }
  await sql.run(settlePlanner)
  const rows = await sql.all<Erasure>(
    `SELECT brand_id, hash, erased_at AS at FROM lead_signals.suppression
       WHERE (brand_id, hash) >= ($1, $2) ORDER BY brand_id, hash LIMIT $3`,
    [brand, prefix, lookedAt]
  )
  const keys: Array<string> = []
  const cursor = ({ brand_id, hash }: Erasure): PruneCursor => [
    brand_id,
    Number.parseInt(hash.slice(0, 12), 16)
  ]
  for (const row of rows) {
    if (row.at === null || row.at >= before) continue
    keys.push(`${row.brand_id} ${row.hash}`)
    if (keys.length === limit) return { brandId: 0, keys, next: cursor(row) }
  }
  return { brandId: 0, keys, next: rows.length < lookedAt ? null : cursor(rows.at(-1)!) }
}

/** Finds what one piece removes. */
export const find: Readonly<Record<RetentionKind, (sql: Connection, of: PieceOf) => Promise<Found>>> = {
  deliveries: finished("delivered"),
  deadLetters: finished("dead"),
  events,
  engagements,
  leads,
  suppressions
}
