/**
 * How many leads match a filter. Counters hold the number for each condition, and often for all of them together; otherwise
 * a query reads the index of the most selective condition.
 */
import { millisPerDay } from "@lead-signals/domain/pure"
import type { QueryConnection } from "../connection/Connection.ts"
import { endOfTime, type TimeRange } from "@lead-signals/sql-rows"
import { type Match, phraseOf } from "../search/SearchIndex.ts"
import {
  conditions,
  type Driver,
  flagsIn,
  found,
  isCountedByDay,
  isCountedByDriver,
  isCountedBySignal,
  type Selection,
  sourceOf,
  type Sql
} from "../filter/Selection.ts"

/** The numbers of leads that each filter by itself matches. */
export interface Counts {
  readonly all: number
  readonly drivers: ReadonlyArray<readonly [driver: Driver, count: number]>
  /** Reading all entries that the search finds takes as long as looking at about so many leads; 0 without a search. */
  readonly searchEffort: number
}

const dayOf = (instant: number): number => Math.floor(instant / millisPerDay)

/** The leads of a brand. */
export const countLeads = (sql: QueryConnection, brandId: number): number =>
  sql.get<{ readonly n: number }>(
    "SELECT coalesce(sum(n), 0) AS n FROM lead_count WHERE brand_id = ? AND signal_id = 0",
    [brandId]
  )!.n

/** A query of the counters with one column for all leads of the brand, and one for each filter except the search. */
export const countsSql = (
  selection: Selection
): { readonly sql: Sql; readonly drivers: ReadonlyArray<Driver> } => {
  const { brandId, created, flags, implied, signalId, updated } = selection
  const counters = "coalesce((SELECT sum(n) FROM lead_count WHERE brand_id = ? AND signal_id = ?"
  const columns: Array<readonly [Driver, Sql]> = [
    ["order", { text: `${counters}), 0)`, params: [brandId, 0] }]
  ]
  if (signalId !== null) columns.push(["signal", { text: `${counters}), 0)`, params: [brandId, signalId] }])
  if (flags !== null) {
    columns.push(["flags", { text: `${counters} AND ${flagsIn(flags, "flags")}), 0)`, params: [brandId, 0] }])
  }
  for (const range of [created, updated, implied]) {
    if (range === null) continue
    columns.push([
      range.field,
      {
        text: "coalesce((SELECT sum(n) FROM lead_day_count WHERE brand_id = ? AND field = ? AND day BETWEEN ? AND ?), 0)",
        params: [brandId, range.field, dayOf(range.from), dayOf(range.to)]
      }
    ])
  }
  return {
    drivers: columns.map(([driver]) => driver),
    sql: {
      text: `SELECT ${columns.map(([, { text }], i) => `${text} AS c${i}`).join(", ")}`,
      params: columns.flatMap(([, { params }]) => params)
    }
  }
}

/** How many entries the search finds, up to `limit` of them. */
export const searchedSql = (match: Match, limit: number): Sql => {
  const { params, text } = found(match)
  const entries = Number.isFinite(limit)
    ? `(SELECT 1 FROM ${match.table} WHERE ${text} LIMIT ${limit})`
    : `${match.table} WHERE ${text}`
  return { text: `SELECT count(*) FROM ${entries}`, params }
}

/**
 * Matching a phrase in the texts of one lead takes at most as long as looking at so many leads: FTS5 reads up to two
 * thousand positions a text, each at most twice (`Match.tokens`), at 2 to 3 ns.
 */
const textEffort = 4

/** Advancing one token to the next candidate skips entries within a page; this is their price in texts. */
const skipEffort = 2

/** A long phrase is estimated by so many of its tokens. */
const maxSampled = 16

const sampled = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> => {
  const step = Math.ceil(all.length / maxSampled)
  return all.filter((_, i) => i % step === 0)
}

/**
 * Estimates what FTS5 reads for a search, in leads to look at. A single token costs nothing beyond its hits. A phrase makes
 * FTS5 read the positions of its tokens in every text that contains all of them: at most in the texts of all leads of the
 * brand, or in those that contain the rarest token. The rarest token is looked up only where the number of leads exceeds
 * `maxEffort`, and never costs more than that.
 */
export const searchEffort = (
  sql: QueryConnection,
  { table, tokens }: Match,
  leads: number,
  maxEffort: number
): number => {
  if (tokens.length < 2) return 0
  const ofAll = textEffort * leads
  if (ofAll <= maxEffort) return ofAll
  const ofOne = textEffort * (1 + skipEffort * tokens.length)
  const affordable = Math.floor(maxEffort / ofOne)
  for (const each of sampled([...new Set(tokens)])) {
    const n = sql.value<number>(
      `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT ?)`,
      [phraseOf([each]), affordable + 1]
    )!
    if (n <= affordable) return ofOne * n
  }
  return ofAll
}

/** The driver that matches the fewest leads, and their number. */
export const mostSelective = ({ all, drivers }: Counts): readonly [Driver, number] =>
  drivers.reduce<readonly [Driver, number]>(
    (best, next) => (next[1] <= best[1] ? next : best),
    ["order", all]
  )

/** The number of matching leads, where the counts of single filters give it; undefined otherwise. */
export const knownTotal = (selection: Selection, { drivers }: Counts): number | null =>
  isCountedByDriver(selection) ? drivers.at(-1)![1] : null

/** A range counted by whole days from the counters, and its two ends from the index. */
const countOfRange = ({ brandId, flags }: Selection, { field, from, to }: TimeRange): Sql => {
  const restOfLead = flags === null ? "" : ` AND ${flagsIn(flags, "l.flags")}`
  const restOfDay = flags === null ? "" : ` AND ${flagsIn(flags, "flags")}`
  const [first, last] = [dayOf(from), dayOf(to)]
  const ends = (start: number, end: number): Sql => ({
    text: `(SELECT count(*) FROM lead l INDEXED BY lead_by_${field} WHERE l.brand_id = ? AND l.${field}_at BETWEEN ? AND ?${restOfLead})`,
    params: [brandId, start, end]
  })
  const startsDay = from === first * millisPerDay
  const firstEnd = Math.min(to, (first + 1) * millisPerDay - 1)
  const parts: Array<Sql> = []
  if (!startsDay) parts.push(ends(from, firstEnd))
  const wholeFrom = startsDay ? first : first + 1
  const endsDay = to === (last + 1) * millisPerDay - 1 || to === endOfTime
  const wholeTo = endsDay ? last : last - 1
  if (wholeFrom <= wholeTo) {
    parts.push({
      text: `coalesce((SELECT sum(n) FROM lead_day_count WHERE brand_id = ? AND field = ? AND day BETWEEN ? AND ?${restOfDay}), 0)`,
      params: [brandId, field, wholeFrom, wholeTo]
    })
  }
  if (!endsDay && (startsDay || last > first)) parts.push(ends(last * millisPerDay, to))
  return {
    text: `SELECT ${parts.map(({ text }) => text).join(" + ")} AS n`,
    params: parts.flatMap(({ params }) => params)
  }
}

/** The effort of counting the matching leads, in leads or entries looked at. */
export const totalEffort = (selection: Selection, counts: Counts): number => {
  if (isCountedByDay(selection) || knownTotal(selection, counts) !== null) return 0
  return mostSelective(counts)[1] + counts.searchEffort
}

/** How many leads match. */
export const totalSql = (selection: Selection, counts: Counts): Sql => {
  const { brandId, created, flags, signalId, updated } = selection
  if (isCountedBySignal(selection)) {
    const restriction = flags === null ? "" : ` AND ${flagsIn(flags, "flags")}`
    return {
      text: `SELECT coalesce(sum(n), 0) AS n FROM lead_count WHERE brand_id = ? AND signal_id = ?${restriction}`,
      params: [brandId, signalId ?? 0]
    }
  }
  if (isCountedByDay(selection)) {
    return countOfRange(selection, (created ?? updated)!)
  }
  const [driver] = mostSelective(counts)
  const { params, text } = conditions(selection, driver)
  return { text: `SELECT count(*) AS n FROM ${sourceOf(selection, driver)} WHERE ${text}`, params }
}
