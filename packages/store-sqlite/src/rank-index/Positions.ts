/**
 * Finds the place in an order at which a page begins, however deep, from the counts of the order's stretches; cuts stretches
 * that have grown long, and lets none begin with a lead that is not there.
 */
import type { LeadId } from "@lead-signals/domain"
import type { Connection, QueryConnection } from "../connection/Connection.ts"
import type { Ordering } from "../filter/Ordering.ts"
import { flagsIn, type Sql } from "../filter/Selection.ts"
import type { CacheEntries } from "../cache/VersionedCache.ts"
import * as TieBreak from "../filter/TieBreak.ts"

export interface PositionOptions {
  /** Finding the place at which a page begins costs about as much as looking at so many leads. */
  readonly findingEffort: number
  /** A stretch of more leads than this is cut in two; of more than the usual number they are found by an index. */
  readonly maxStretch: number
}

/** Of so many leads stretches are made, when all are made anew: less than the greatest, or the next lead would cut each. */
export const lengthWhenMade = 1024

/** A stretch is walked in some 60 µs; the counts of those of a million leads are read in some 400 µs, and kept. */
export const defaults: PositionOptions = { findingEffort: 1000, maxStretch: 1536 }

/** What is counted: the leads of a brand with these flags; null: with any. */
export interface Counted {
  readonly brandId: number
  readonly flags: ReadonlyArray<number> | null
}

export const allFlags: ReadonlyArray<number> = [0, 1, 2, 3, 4, 5, 6, 7]

const sumOf = (flags: ReadonlyArray<number> | null): string =>
  (flags ?? allFlags).map((each) => `n${each}`).join(" + ")

const flagged = (flags: ReadonlyArray<number> | null): string =>
  flags === null ? "" : ` AND ${flagsIn(flags, "l.flags")}`

/**
 * A brand's leads from this place on, in order: those of the same key, then those of later ones. In one condition the index
 * would be read from the first lead of the key on, however many there are of it.
 */
const leadsFrom = (
  { brandId, flags }: Counted,
  { column, index }: Ordering,
  place: Pick<Place, "key" | "id">,
  greatest: number
): Sql => {
  const of = `SELECT ${column} AS key, l.id, l.flags FROM lead l INDEXED BY ${index} WHERE l.brand_id = ?`
  return {
    text: `SELECT * FROM (${of} AND ${column} = ? AND l.id >= ?${flagged(flags)} ORDER BY l.id LIMIT ?)
      UNION ALL SELECT * FROM (${of} AND ${column} > ?${flagged(flags)} ORDER BY ${column}, l.id LIMIT ?)`,
    params: [brandId, place.key, place.id, greatest, brandId, place.key, greatest]
  }
}

/** Where a stretch begins. */
interface Place {
  readonly key: string | number
  readonly id: number
  /** How many leads come before it. */
  readonly before: number
  /** How many of those have its key. */
  readonly tied: number
}

/** The stretches of an order, first to last. */
export interface Stretches {
  /** How many leads come before each. */
  readonly before: ReadonlyArray<number>
  /** Those that pages were looked for in. */
  readonly places: Map<number, Place>
}

/** Past so many leads of one key a walk begins behind them, which costs three times as much a lead. */
const maxTied = 512

/** However few of them have the flags, no more are looked at; if there are more, their number is the answer. */
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

const stretchesOf = (
  sql: QueryConnection,
  { brandId, flags }: Counted,
  ordering: Ordering,
  kept: CacheEntries<Stretches>
): Stretches => {
  const name = `${brandId} ${ordering.name} ${flags?.join() ?? "all"}`
  const known = kept.get(name)
  if (known !== undefined) return known
  // One text: rows of a thousand stretches would take as long again as counting them.
  const counts = sql.value<string>(
    `SELECT json_group_array(n) FROM (
       SELECT ${sumOf(flags)} AS n FROM lead_stretch WHERE brand_id = ? AND ordering = ? ORDER BY key, id)`,
    [brandId, ordering.name]
  )!
  let sum = 0
  const before = (JSON.parse(counts) as ReadonlyArray<number>).map((n) => (sum += n) - n)
  const stretches = { before, places: new Map<number, Place>() }
  kept.set(name, stretches)
  return stretches
}

/** The last stretch that has no more leads before it than these: the number of it. */
const lastOf = (before: ReadonlyArray<number>, leads: number): number => {
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
  { before, places }: Stretches,
  stretch: number
): Place => {
  const known = places.get(stretch)
  if (known !== undefined) return known
  const [beginning] = sql.tuples<readonly [key: string | number, id: number]>(
    "SELECT key, id FROM lead_stretch WHERE brand_id = ? AND ordering = ? ORDER BY key, id LIMIT 1 OFFSET ?",
    [counted.brandId, ordering.name, stretch]
  )
  const [key, id] = beginning!
  const { params, text } = tiedSql(counted, ordering, { key, id })
  const tied = sql.value<number>(text, params)!
  const place = { key, id, before: before[stretch]!, tied }
  places.set(stretch, place)
  return place
}

/**
 * The ids of a page that begins with the lead at `offset` of `total`, each counted as `counted` says. Where the order runs
 * against its index, leads of one key still come by their ids.
 */
export const readPage = (
  sql: QueryConnection,
  counted: Counted,
  ordering: Ordering,
  { limit, offset, total }: { readonly limit: number; readonly offset: number; readonly total: number },
  kept: CacheEntries<Stretches>
): ReadonlyArray<LeadId> => {
  const stretches = stretchesOf(sql, counted, ordering, kept)
  /** Along the index. */
  const leadsSql = (from: number, length: number): Sql => {
    const place = placeOf(sql, counted, ordering, stretches, lastOf(stretches.before, from))
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
  // Read from either end, the n-th is the same but for its ties.
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

interface Stretch {
  readonly seq: number
  readonly brand_id: number
  readonly ordering: Ordering["name"]
  readonly key: string | number
  readonly id: number
  readonly n: number
}

/** Cuts the stretch behind half of its leads. */
const cut = (sql: Connection, stretch: Stretch, ordering: Ordering): void => {
  const { brand_id, n, seq } = stretch
  const half = Math.floor(n / 2)
  const all = leadsFrom({ brandId: brand_id, flags: null }, ordering, stretch, n)
  const middle = sql.get<{ key: string | number; id: number }>(
    `SELECT key, id FROM (${all.text}) LIMIT 1 OFFSET ?`,
    [...all.params, half]
  )
  const counts = sql.all<{ flags: number; n: number }>(
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
    [brand_id, stretch.ordering, middle!.key, middle!.id, ...moved]
  )
}

const stretchSql = `SELECT seq, brand_id, ordering, key, id, ${sumOf(null)} AS n FROM lead_stretch`

/** Said and not bound: of a value that is bound SQLite doesn't know that the index of the long ones will do. */
export const longSql = (maxStretch: number): string => `${stretchSql} WHERE ${sumOf(null)} > ${maxStretch}`

type Orderings = Readonly<Record<Ordering["name"], Ordering>>

/** All but the first, which begins before every lead. */
const dropEmpty = (sql: Connection, { brand_id, ordering }: Stretch): void =>
  sql.run(`DELETE FROM lead_stretch WHERE brand_id = ? AND ordering = ? AND id > 0 AND ${sumOf(null)} = 0`, [
    brand_id,
    ordering
  ])

/**
 * Cuts what has grown long, until nothing is; to be called in the transaction that wrote. Where leads move to the end with
 * each change, the stretches they leave would be ever more: they go when another one is cut.
 */
export const keepShort = (sql: Connection, orderings: Orderings, maxStretch: number): void => {
  for (;;) {
    const long = sql.all<Stretch>(longSql(maxStretch))
    if (long.length === 0) return
    for (const stretch of long) {
      cut(sql, stretch, orderings[stretch.ordering])
      dropEmpty(sql, stretch)
    }
  }
}

/** No lead lies between where the stretch began and its first one: its counts stay as they are. */
const beginWithFirst = (sql: Connection, stretch: Stretch, ordering: Ordering): void => {
  const from = leadsFrom({ brandId: stretch.brand_id, flags: null }, ordering, stretch, 1)
  const first =
    stretch.n === 0
      ? undefined
      : sql.get<{ key: string | number; id: number }>(
          `SELECT key, id FROM (${from.text}) LIMIT 1`,
          from.params
        )
  if (first === undefined) sql.run("DELETE FROM lead_stretch WHERE seq = ?", [stretch.seq])
  else {
    sql.run("UPDATE lead_stretch SET key = ?, id = ? WHERE seq = ?", [first.key, first.id, stretch.seq])
  }
}

interface Left {
  readonly brandId: number
  readonly ids: ReadonlyArray<LeadId>
}

/** What began with leads that are erased begins with others. [PII-3] */
export const forgetLeads = (sql: Connection, orderings: Orderings, { brandId, ids }: Left): void => {
  // Reads the index of all stretches of the brand: leads are seldom erased.
  const stretches = sql.all<Stretch>(
    `${stretchSql} WHERE brand_id = ? AND id IN (SELECT value FROM json_each(?))`,
    [brandId, JSON.stringify(ids)]
  )
  for (const stretch of stretches) beginWithFirst(sql, stretch, orderings[stretch.ordering])
}

/** What began with a lead's earlier name begins with another one: nothing else would tell of that name. [PII-3] */
export const forgetName = (
  sql: Connection,
  { name }: Orderings,
  lead: { readonly brandId: number; readonly id: LeadId },
  nameKey: string
): void => {
  const stretch = sql.get<Stretch>(
    `${stretchSql} WHERE brand_id = ? AND ordering = 'name' AND key = ? AND id = ?`,
    [lead.brandId, nameKey, lead.id]
  )
  if (stretch !== undefined) beginWithFirst(sql, stretch, name)
}
