/**
 * The rank index: each order of a brand's leads is cut into buckets, whose counts give the bucket in which a page begins, however deep.
 * Triggers count; this module splits long buckets, and keeps erased leads out of the beginnings of buckets. The table is
 * called `lead_stretch` in files.
 */
import type { LeadId } from "@lead-signals/domain"
import type { Connection, QueryConnection } from "../connection/Connection.ts"
import type { Ordering } from "../filter/Ordering.ts"
import { flagsIn, type Sql } from "../filter/Selection.ts"
import * as TieBreak from "../filter/TieBreak.ts"

/** When a page is found by counting buckets of leads. */
export interface RankIndexOptions {
  /** Effort of finding where a page begins, in leads looked at. */
  readonly findingEffort: number
  /** A bucket of more leads is split. The index `lead_stretch_long` finds buckets above the default only. */
  readonly maxBucketLeads: number
}

/** Leads of a bucket when all are rebuilt: less than `maxBucketLeads`, or the next lead would split each bucket. */
export const rebuiltBucketLeads = 1024

/** SQLite walks a bucket in some 25 µs, and reads the counts of a million leads in some 150 µs, which a cache keeps. */
export const defaults: RankIndexOptions = { findingEffort: 1000, maxBucketLeads: 1536 }

/** The leads of a brand with these flags; null: with any. */
export interface Counted {
  readonly brandId: number
  readonly flags: ReadonlyArray<number> | null
}

/** All values of the column `flags`: three bits. */
export const allFlags: ReadonlyArray<number> = [0, 1, 2, 3, 4, 5, 6, 7]

const sumOf = (flags: ReadonlyArray<number> | null): string =>
  (flags ?? allFlags).map((each) => `n${each}`).join(" + ")

const flagged = (flags: ReadonlyArray<number> | null): string =>
  flags === null ? "" : ` AND ${flagsIn(flags, "l.flags")}`

/**
 * A brand's leads from this place on, in order: those of the same key, then those of later ones. With one condition for both,
 * SQLite would read the index from the first lead of the key on, however many leads have it.
 */
const leadsFrom = (
  { brandId, flags }: Counted,
  { column, index }: Ordering,
  place: Pick<Place, "key" | "id">,
  limit: number
): Sql => {
  const of = `SELECT ${column} AS key, l.id, l.flags FROM lead l INDEXED BY ${index} WHERE l.brand_id = ?`
  return {
    text: `SELECT * FROM (${of} AND ${column} = ? AND l.id >= ?${flagged(flags)} ORDER BY l.id LIMIT ?)
      UNION ALL SELECT * FROM (${of} AND ${column} > ?${flagged(flags)} ORDER BY ${column}, l.id LIMIT ?)`,
    params: [brandId, place.key, place.id, limit, brandId, place.key, limit]
  }
}

/** The beginning of a bucket. */
interface Place {
  readonly key: string | number
  readonly id: number
  /** Number of leads before it. */
  readonly before: number
  /** Number of those with its key. */
  readonly tied: number
}

/** With more leads of its key before it, a walk begins at the bucket itself, which costs three times as much a lead. */
const maxTied = 512

/** Counts leads of the key before the place: those with the flags, or more than `maxTied` where there are more of any. */
const tiedSql = (
  { brandId, flags }: Counted,
  { column, index }: Ordering,
  { id, key }: Pick<Place, "id" | "key">
): Sql => {
  const counted = flags === null ? "count(*)" : `count(*) FILTER (WHERE ${flagsIn(flags, "flags")})`
  return {
    text: `SELECT CASE WHEN count(*) > ${maxTied} THEN count(*) ELSE ${counted} END
      FROM (SELECT l.flags FROM lead l INDEXED BY ${index}
        WHERE l.brand_id = ? AND ${column} = ? AND l.id < ? LIMIT ${maxTied + 1})`,
    params: [brandId, key, id]
  }
}

/** Number of leads before each bucket of an order, first to last. */
export type BucketCounts = ReadonlyArray<number>

/** Those of the snapshot that were read before, by key. */
export interface KnownBuckets {
  readonly get: (key: string) => BucketCounts | undefined
  readonly set: (key: string, counts: BucketCounts) => void
}

/** The number of leads before each bucket of the order, of those that count: a page's bucket is found in it by bisection. */
const leadsBeforeBuckets = (
  sql: QueryConnection,
  { brandId, flags }: Counted,
  ordering: Ordering,
  buckets: KnownBuckets | null
): BucketCounts => {
  const name = `${brandId} ${ordering.name} ${flags?.join() ?? "all"}`
  const known = buckets?.get(name)
  if (known !== undefined) return known
  // One JSON text: a thousand rows would take as long again as the counting.
  const counts = sql.value<string>(
    `SELECT json_group_array(n) FROM (
       SELECT ${sumOf(flags)} AS n FROM lead_stretch WHERE brand_id = ? AND ordering = ? ORDER BY key, id)`,
    [brandId, ordering.name]
  )!
  let sum = 0
  const before = (JSON.parse(counts) as ReadonlyArray<number>).map((n) => (sum += n) - n)
  buckets?.set(name, before)
  return before
}

/** The number of the last bucket with at most so many leads before it. */
const bucketAt = (before: BucketCounts, leads: number): number => {
  let [low, high] = [0, before.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (before[middle]! <= leads) low = middle
    else high = middle
  }
  return low
}

const placeOf = (
  sql: QueryConnection,
  counted: Counted,
  ordering: Ordering,
  before: BucketCounts,
  bucket: number
): Place => {
  const [beginning] = sql.tuples<readonly [key: string | number, id: number]>(
    "SELECT key, id FROM lead_stretch WHERE brand_id = ? AND ordering = ? ORDER BY key, id LIMIT 1 OFFSET ?",
    [counted.brandId, ordering.name, bucket]
  )
  const [key, id] = beginning!
  const { params, text } = tiedSql(counted, ordering, { key, id })
  const tied = sql.value<number>(text, params)!
  return { key, id, before: before[bucket]!, tied }
}

/**
 * Returns the ids of the page that begins at `offset` among the `total` leads that `counted` names. Leads with equal keys come
 * by ascending id, also where the order runs against its index. `buckets` must be of the snapshot; null where none are kept.
 */
export const readPage = (
  sql: QueryConnection,
  counted: Counted,
  ordering: Ordering,
  { limit, offset, total }: { readonly limit: number; readonly offset: number; readonly total: number },
  buckets: KnownBuckets | null
): ReadonlyArray<LeadId> => {
  const before = leadsBeforeBuckets(sql, counted, ordering, buckets)
  /** Along the index. */
  const leadsSql = (from: number, length: number): Sql => {
    const place = placeOf(sql, counted, ordering, before, bucketAt(before, from))
    const past = from - place.before
    const { column, index } = ordering
    if (place.tied <= maxTied) {
      return {
        text: `SELECT l.id, ${column} FROM lead l INDEXED BY ${index}
          WHERE l.brand_id = ? AND ${column} >= ?${flagged(counted.flags)} ORDER BY ${column}, l.id LIMIT ? OFFSET ?`,
        params: [counted.brandId, place.key, length, place.tied + past]
      }
    }
    const { params, text } = leadsFrom(counted, ordering, place, past + length)
    return {
      text: `SELECT id, key FROM (${text}) LIMIT ? OFFSET ?`,
      params: [...params, length, past]
    }
  }
  if (!ordering.isReversed) {
    const { params, text } = leadsSql(offset, limit)
    return sql.column<LeadId>(text, params)
  }
  // Read from the other end, the n-th lead is the same but for its ties.
  const wanted = TieBreak.rangeOf({ offset, limit })
  const end = total - wanted.from
  const start = Math.max(end - wanted.length, 0)
  const { params, text } = leadsSql(start, end - start)
  const rows = [...TieBreak.readKeyed(sql, text, params)].reverse()
  const path = { source: `lead l INDEXED BY ${ordering.index}`, id: "l.id", key: ordering.column }
  const ofBrand = { text: `l.brand_id = ?${flagged(counted.flags)}`, params: [counted.brandId] }
  return TieBreak.inOrder(sql, TieBreak.pageOf(rows, { offset, limit }), (tied) =>
    TieBreak.tiedSql(path, ofBrand, tied)
  )
}

interface RankBucket {
  readonly seq: number
  readonly brand_id: number
  readonly ordering: Ordering["name"]
  readonly key: string | number
  readonly id: number
  /** Number of its leads. */
  readonly n: number
  /** Number of those whose flags most of its leads have. */
  readonly most: number
}

/** Splits the bucket behind half of its leads. */
const splitBucket = (sql: Connection, bucket: RankBucket, ordering: Ordering): void => {
  const { brand_id, most, n, seq } = bucket
  const half = Math.floor(n / 2)
  const all = leadsFrom({ brandId: brand_id, flags: null }, ordering, bucket, n)
  const middle = sql.get<{ key: string | number; id: number; flags: number }>(
    `SELECT key, id, flags FROM (${all.text}) LIMIT 1 OFFSET ?`,
    [...all.params, half]
  )
  // Counting takes longer than finding the middle, and new leads have no flags.
  const counts =
    most === n
      ? [{ flags: middle!.flags, n: n - half }]
      : sql.all<{ flags: number; n: number }>(
          `SELECT flags, count(*) AS n FROM (SELECT * FROM (${all.text}) LIMIT ? OFFSET ?) GROUP BY flags`,
          [...all.params, n - half, half]
        )
  const moved = allFlags.map((flags) => counts.find((each) => each.flags === flags)?.n ?? 0)
  sql.run(
    `UPDATE lead_stretch SET ${allFlags.map((flags) => `n${flags} = n${flags} - ?`).join(", ")} WHERE seq = ?`,
    [...moved, seq]
  )
  sql.run(
    `INSERT INTO lead_stretch (brand_id, ordering, key, id, ${allFlags.map((flags) => `n${flags}`).join(", ")})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [brand_id, bucket.ordering, middle!.key, middle!.id, ...moved]
  )
}

const bucketSql = `SELECT seq, brand_id, ordering, key, id, ${sumOf(null)} AS n,
  max(${allFlags.map((flags) => `n${flags}`).join(", ")}) AS most FROM lead_stretch`

/** The bound is a literal: SQLite uses the partial index of long buckets for no parameter. */
export const longBucketsSql = (maxBucketLeads: number): string =>
  `${bucketSql} WHERE ${sumOf(null)} > ${maxBucketLeads}`

type Orderings = Readonly<Record<Ordering["name"], Ordering>>

/** Deletes the empty buckets of an order, except the first, which begins before every lead. */
const deleteEmpty = (sql: Connection, { brand_id, ordering }: RankBucket): void =>
  sql.run(`DELETE FROM lead_stretch WHERE brand_id = ? AND ordering = ? AND id > 0 AND ${sumOf(null)} = 0`, [
    brand_id,
    ordering
  ])

/**
 * Splits buckets of more than `maxBucketLeads` leads until none is left. Callers run it in the transaction that wrote leads. It
 * also deletes empty buckets of the orders that it splits: where each change moves a lead to the end, they would accumulate.
 */
export const splitLongBuckets = (sql: Connection, orderings: Orderings, maxBucketLeads: number): void => {
  for (;;) {
    const long = sql.all<RankBucket>(longBucketsSql(maxBucketLeads))
    if (long.length === 0) return
    for (const bucket of long) {
      splitBucket(sql, bucket, orderings[bucket.ordering])
      deleteEmpty(sql, bucket)
    }
  }
}

/** Moves the beginning of a bucket to its first lead; its counts stay. Deletes a bucket without leads. */
const restartAtFirstLead = (sql: Connection, bucket: RankBucket, ordering: Ordering): void => {
  const from = leadsFrom({ brandId: bucket.brand_id, flags: null }, ordering, bucket, 1)
  const first =
    bucket.n === 0
      ? undefined
      : sql.get<{ key: string | number; id: number }>(
          `SELECT key, id FROM (${from.text}) LIMIT 1`,
          from.params
        )
  if (first === undefined) sql.run("DELETE FROM lead_stretch WHERE seq = ?", [bucket.seq])
  else {
    sql.run("UPDATE lead_stretch SET key = ?, id = ? WHERE seq = ?", [first.key, first.id, bucket.seq])
  }
}

interface ErasedLeads {
  readonly brandId: number
  readonly ids: ReadonlyArray<LeadId>
}

/** Moves buckets that begin with erased leads, so that no key of such a lead stays in the file. [PII-3] */
export const forgetLeads = (sql: Connection, orderings: Orderings, { brandId, ids }: ErasedLeads): void => {
  // The query scans the brand's buckets: erasures are rare.
  const buckets = sql.all<RankBucket>(
    `${bucketSql} WHERE brand_id = ? AND id IN (SELECT value FROM json_each(?))`,
    [brandId, JSON.stringify(ids)]
  )
  for (const bucket of buckets) restartAtFirstLead(sql, bucket, orderings[bucket.ordering])
}

/** Moves the bucket that begins with the lead's earlier name, the last place that would keep that name. [PII-3] */
export const forgetName = (
  sql: Connection,
  { name }: Orderings,
  lead: { readonly brandId: number; readonly id: LeadId },
  nameKey: string
): void => {
  const bucket = sql.get<RankBucket>(
    `${bucketSql} WHERE brand_id = ? AND ordering = 'name' AND key = ? AND id = ?`,
    [lead.brandId, nameKey, lead.id]
  )
  if (bucket !== undefined) restartAtFirstLead(sql, bucket, name)
}
