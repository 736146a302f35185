/**
 * The rank index: each order of a brand's leads is cut into buckets, whose counts give the bucket in which a page begins, however deep.
 */
import type { LeadId } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"
import type { Key, Ordering } from "./Ordering.ts"
import { hasFlags } from "./Selection.ts"
import { join, raw, type Sql, sql } from "./Sql.ts"

/** When a page is found by counting buckets of leads. */
export interface RankIndexOptions {
  /** Effort of finding where a page begins, in leads looked at: a page that a walk finds with less is walked to. */
  readonly findingEffort: number
  /** A bucket of more leads is split. */
  readonly maxBucketLeads: number
}

/** A bucket is walked in a millisecond, and the counts of ten million leads are summed in two. */
export const defaults: RankIndexOptions = { findingEffort: 3000, maxBucketLeads: 4096 }

/** The leads of a brand whose flags the mask has. */
export interface Counted {
  readonly brandId: number
  readonly flags: number | null
}

const sumOf = (mask: number | null): Sql =>
  join(
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((flags) =>
      mask === null || (mask & (1 << flags)) !== 0 ? [raw(`n${flags}`)] : []
    ),
    " + "
  )

/** The bucket with the lead at this place among those counted, and how many of them are before the bucket. */
export const bucketSql = ({ brandId, flags }: Counted, { name }: Ordering, place: number): Sql =>
  sql`SELECT c.key, c.id, c.before FROM (
      SELECT b.key, b.id, b.n, sum(b.n) OVER (ORDER BY b.key, b.id ROWS UNBOUNDED PRECEDING) - b.n AS before FROM (
        SELECT key, id, ${sumOf(flags)} AS n FROM lead_signals.lead_bucket
        WHERE brand_id = ${brandId} AND ordering = ${name}) b) c
    WHERE c.before <= ${place} AND c.before + c.n > ${place}`

/** Where a bucket begins, as a key of the order's column. */
export interface Beginning {
  readonly key: Key
  readonly id: number
}

/** The leads from the beginning on that follow so many others, along the order's index. */
const from = (
  { brandId, flags }: Counted,
  { column }: Ordering,
  { id, key }: Beginning,
  { limit, offset }: { readonly limit: number; readonly offset: number }
): Sql =>
  sql`SELECT l.id, l.${raw(column)} AS key FROM lead_signals.lead l
    WHERE l.brand_id = ${brandId} AND (l.${raw(column)}, l.id) >= (${key}, ${id}) AND ${hasFlags(flags)}
    ORDER BY l.${raw(column)}, l.id LIMIT ${limit} OFFSET ${offset}`

/** Buckets from the first place of the order on. */
export const forwardSql = (
  counted: Counted,
  ordering: Ordering,
  beginning: Beginning,
  part: { readonly limit: number; readonly offset: number }
): Sql => sql`SELECT id FROM (${from(counted, ordering, beginning, part)}) f`

/**
 * A page that begins with the lead at a place, read against the order's index. Of that lead's key, those behind it along the index come
 * before it or have its place: ties go by ascending id in both directions. [SORT-5]
 */
export const backwardSql = (
  counted: Counted,
  ordering: Ordering,
  beginning: Beginning,
  { limit, offset }: { readonly limit: number; readonly offset: number }
): Sql => {
  const column = raw(`l.${ordering.column}`)
  const ofBrand = sql`FROM lead_signals.lead l WHERE l.brand_id = ${counted.brandId} AND ${hasFlags(counted.flags)}`
  return sql`WITH f AS MATERIALIZED (${from(counted, ordering, beginning, { limit: 1, offset })})
    SELECT l.id ${ofBrand} AND ${column} <= (SELECT key FROM f) ORDER BY ${column} DESC, l.id LIMIT ${limit}
    OFFSET (SELECT count(*) ${ofBrand} AND ${column} = (SELECT key FROM f) AND l.id > (SELECT id FROM f))`
}

/**
 * The ids of the page that begins at `offset` among the `total` leads counted. `before` of all leads along the index come before the first
 * of them: those outside a range of the order's field.
 */
export const readPage = async (
  db: Connection,
  counted: Counted,
  ordering: Ordering,
  {
    before,
    limit,
    offset,
    total
  }: { readonly before: number; readonly limit: number; readonly offset: number; readonly total: number }
): Promise<ReadonlyArray<LeadId>> => {
  const place = before + (ordering.isReversed ? total - 1 - offset : offset)
  const found = bucketSql(counted, ordering, place).statement()
  const bucket = await db.get<{ key: string; id: number; before: number }>(found.text, found.params)
  if (bucket === undefined) return []
  const beginning = { key: ordering.keyOf(bucket.key), id: bucket.id }
  const part = { limit: Math.min(limit, total - offset), offset: place - bucket.before }
  const page = (ordering.isReversed ? backwardSql : forwardSql)(
    counted,
    ordering,
    beginning,
    part
  ).statement()
  const rows = await db.all<{ id: LeadId }>(page.text, page.params)
  return rows.map(({ id }) => id)
}
