/**
 * What is due, piece by piece, over whatever state a statement sees: a removal looks again, under locks. Finished deliveries are found
 * by an index of their own. Events are walked brand by brand in the order of their positions, engagements lead by lead, so that neither
 * needs an index that each write would pay for.
 */
import type { Instant, PruneCursor, RetentionKind } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"

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
  /** Numbers of deliveries, positions of events, ids of engagements or leads, or hashes. */
  readonly keys: ReadonlyArray<number | string>
  readonly next: PruneCursor | null
}

/** Where each piece begins anew: what it has removed is not found again. */
const again: PruneCursor = []

/** Finished deliveries that are due. */
export const dueDeliveries = (state: "delivered" | "dead"): string =>
  `SELECT brand_id, seq, webhook_id, state, finished_at FROM lead_signals.delivery
   WHERE state = '${state}' AND state <> 'pending' AND finished_at < $1 ORDER BY finished_at, seq LIMIT $2`

const finished =
  (state: "delivered" | "dead") =>
  async (sql: Connection, { before, limit }: PieceOf): Promise<Found> => {
    const rows = await sql.all<{ readonly seq: number }>(dueDeliveries(state), [before, limit])
    return { brandId: 0, keys: rows.map(({ seq }) => seq), next: rows.length < limit ? null : again }
  }

/** Rows, of events or of leads, that a piece looks at in one brand, and brands that it looks at. */
const [lookedAt, leadsLookedAt, brandsLookedAt] = [2000, 1000, 100]

/** Walks the brands from that of the cursor on until a piece is found. `of` answers where to go on in the brand; null: with the next. */
const walkBrands = async (
  sql: Connection,
  after: PruneCursor | null,
  of: (
    brandId: number,
    from: number
  ) => Promise<{ readonly keys: Found["keys"]; readonly next: number | null }>
): Promise<Found> => {
  const [first, from] = [after?.[0] ?? 0, after?.[1] ?? 0]
  const brands = await sql.all<{ readonly id: number }>(
    "SELECT id FROM lead_signals.brand WHERE id >= $1 AND deleted_at IS NULL ORDER BY id LIMIT $2",
    [first, brandsLookedAt]
  )
  for (const { id } of brands) {
    const { keys, next } = await of(id, id === first ? from : 0)
    if (next !== null) return { brandId: id, keys, next: [id, next] }
    if (keys.length > 0) return { brandId: id, keys, next: [id + 1, 0] }
  }
  return {
    brandId: 0,
    keys: [],
    next: brands.length < brandsLookedAt ? null : [brands.at(-1)!.id + 1, 0]
  }
}

/** A condition on an event `e`. */
const hasDelivery = `EXISTS (
  SELECT 1 FROM lead_signals.delivery d WHERE d.brand_id = e.brand_id AND d.position = e.position)`

interface WalkedEvent {
  readonly position: number
  readonly at: Instant
  readonly event: string
  readonly has_delivery: boolean
}

const events = (sql: Connection, { after, before, limit }: PieceOf): Promise<Found> =>
  walkBrands(sql, after, async (brandId, from) => {
    const rows = await sql.all<WalkedEvent>(
      `SELECT e.position, e.occurred_at AS at, e.event, ${hasDelivery} AS has_delivery
         FROM lead_signals.event e WHERE e.brand_id = $1 AND e.position > $2 ORDER BY e.position LIMIT $3`,
      [brandId, from, lookedAt]
    )
    const keys: Array<number> = []
    for (const row of rows) {
      // Later events are younger, but for a clock that was set back.
      if (row.at >= before) return { keys, next: null }
      if (row.event === "lead2.created" || row.has_delivery) continue
      keys.push(row.position)
      if (keys.length === limit) return { keys, next: row.position }
    }
    return { keys, next: rows.length < lookedAt ? null : rows.at(-1)!.position }
  })

/** Whether the activity.detected of an engagement `g` is left. */
export const isTold = `EXISTS (
  SELECT 1 FROM lead_signals.event e
  WHERE e.brand_id = g.brand_id AND e.lead_id = g.lead_id AND e.engagement_id = g.id AND e.event = 'activity.detected')`

const engagements = (sql: Connection, { after, before, limit }: PieceOf): Promise<Found> =>
  walkBrands(sql, after, async (brandId, from) => {
    const last = await sql.get<{ readonly id: number | null; readonly n: number }>(
      `SELECT max(id) AS id, count(*)::integer AS n FROM (
         SELECT id FROM lead_signals.lead WHERE brand_id = $1 AND id >= $2 ORDER BY id LIMIT $3) l`,
      [brandId, from, leadsLookedAt]
    )
    if (last!.id === null) return { keys: [], next: null }
    const rows = await sql.all<{ readonly id: string; readonly lead_id: number }>(
      `SELECT g.id, g.lead_id FROM lead_signals.lead l CROSS JOIN LATERAL (
         SELECT g.id, g.lead_id FROM lead_signals.engagement g
         WHERE g.brand_id = l.brand_id AND g.lead_id = l.id AND g.tracked_at < $4 AND NOT ${isTold} OFFSET 0) g
       WHERE l.brand_id = $1 AND l.id BETWEEN $2 AND $3 ORDER BY l.id LIMIT $5`,
      [brandId, from, last!.id, before, limit]
    )
    const keys = rows.map(({ id }) => id)
    if (rows.length === limit) return { keys, next: rows.at(-1)!.lead_id }
    return { keys, next: last!.n < leadsLookedAt ? null : last!.id + 1 }
  })

/** Whether nothing about a lead `l` is left that a receiver may still get: an activity.detected, or a delivery. */
export const isQuiet = `NOT EXISTS (
  SELECT 1 FROM lead_signals.event e WHERE e.brand_id = l.brand_id AND e.lead_id = l.id
    AND (e.event = 'activity.detected' OR ${hasDelivery}))`

const leads = async (sql: Connection, { before }: PieceOf): Promise<Found> => {
  const brand = await sql.get<{ readonly id: number }>(
    `SELECT b.id FROM lead_signals.brand b WHERE b.deleted_at IS NULL AND EXISTS (
         SELECT 1 FROM lead_signals.lead l WHERE l.brand_id = b.id AND l.updated_at < $1 AND ${isQuiet})
       ORDER BY b.id LIMIT 1`,
    [before]
  )
  // The removal looks for the leads by itself, under the lock of the brand.
  return brand === undefined
    ? { brandId: 0, keys: [], next: null }
    : { brandId: brand.id, keys: [brand.id], next: again }
}

const suppressions = async (sql: Connection, { before, limit }: PieceOf): Promise<Found> => {
  const rows = await sql.all<{ readonly hash: string }>(
    "SELECT hash FROM lead_signals.suppression WHERE erased_at < $1 LIMIT $2",
    [before, limit]
  )
  return { brandId: 0, keys: rows.map(({ hash }) => hash), next: rows.length < limit ? null : again }
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
