/**
 * How many leads match a filter. Counters hold the number for flags and signals, and rank buckets for ranges of time, each with
 * flags; otherwise a query reads the index of the most selective condition.
 */
import type { TimeRange } from "@lead-signals/sql-rows"
import { orderings } from "./Ordering.ts"
import {
  conditions,
  type Driver,
  hasFlags,
  driven,
  hasOnly,
  idColumnOf,
  joinedLeads,
  type Selection,
  sourceOf,
  tests
} from "./Selection.ts"
import { join, raw, type Sql, sql } from "./Sql.ts"
import { plannerSettings } from "./PlannerSettings.ts"

/** The numbers of leads that each filter by itself matches; a search's is unknown until it was counted. */
export interface Counts {
  /** The number of the brand's newest change. */
  readonly version: number
  readonly all: number
  readonly drivers: ReadonlyArray<readonly [driver: Driver, count: number]>
}

/** The first query of a list: the brand's version, and what its counters say. It sets the planner for those after it. */
export const countersSql = ({ brandId, flags, signalId }: Selection): Sql => {
  const counted = (signal: number, mask: number | null): Sql =>
    sql`coalesce((SELECT sum(c.n) FROM lead_signals.lead_count c
      WHERE c.brand_id = ${brandId} AND c.signal_id = ${signal} AND ${hasFlags(mask, "c.flags")}), 0)::bigint`
  return sql`SELECT ${raw(plannerSettings)},
    coalesce((SELECT v.n FROM lead_signals.brand_version v WHERE v.brand_id = ${brandId}), 0) AS version,
    ${counted(0, null)} AS all_leads, ${counted(0, flags)} AS of_flags,
    ${signalId === null ? raw("0") : counted(signalId, null)} AS of_signal,
    ${signalId === null ? raw("0") : counted(signalId, flags)} AS of_both`
}

/** What `countersSql` answers. */
export interface Counters {
  readonly version: number
  readonly all_leads: number
  readonly of_flags: number
  readonly of_signal: number
  readonly of_both: number
}

const sumOf = (mask: number | null): Sql =>
  mask === null
    ? raw("n0 + n1 + n2 + n3 + n4 + n5 + n6 + n7")
    : join(
        [0, 1, 2, 3, 4, 5, 6, 7].map(
          (flags) => sql`n${raw(String(flags))} * ((${mask}::integer >> ${raw(String(flags))}) & 1)`
        ),
        " + "
      )

/** The beginning of the bucket that has the place, as a key of the column. */
const bucketAt = (brandId: number, { field }: TimeRange, key: string, id: Sql): Sql =>
  sql`(SELECT b.key, b.id, coalesce(nullif(b.key, '')::bigint, -1) AS at FROM lead_signals.lead_bucket b
    WHERE b.brand_id = ${brandId} AND b.ordering = ${field} AND (b.key, b.id) <= (${key} COLLATE "C", ${id})
    ORDER BY b.key DESC, b.id DESC LIMIT 1)`

/** No lead has a greater id. */
const maxId = raw("9223372036854775807")

/** How many leads there are, and how many of them have the flags; null without flags. */
const counted = (flags: number | null, n: Sql, flagged: (mask: number) => Sql): Sql =>
  sql`${n} AS n, ${flags === null ? raw("NULL::bigint") : flagged(flags)} AS flagged`

/**
 * The number of leads in a range and of those that have the flags, as one row, from the buckets between its ends; leads are read in the
 * buckets of the ends alone.
 */
export const rangeCountSql = (brandId: number, flags: number | null, range: TimeRange): Sql => {
  const { column, textOf } = orderings[range.field]
  const key = raw(`l.${column}`)
  const leads = (where: Sql): Sql =>
    sql`LATERAL (SELECT ${counted(flags, raw("count(*)"), (mask) => sql`count(*) FILTER (WHERE ${hasFlags(mask)})`)}
      FROM lead_signals.lead l WHERE l.brand_id = ${brandId} AND ${where})`
  return sql`(SELECT coalesce(b.n, 0) + w.n - f.n + t.n AS n, coalesce(b.flagged, 0) + w.flagged - f.flagged + t.flagged AS flagged
    FROM (SELECT f.at AS from_at, f.id AS from_id, t.at AS to_at, t.id AS to_id, f.key AS from_key, t.key AS to_key,
        f.key = t.key AND f.id = t.id AS is_one
      FROM ${bucketAt(brandId, range, textOf(range.from), raw("0"))} f,
        ${bucketAt(brandId, range, textOf(range.to), maxId)} t OFFSET 0) ends,
      LATERAL (SELECT ${counted(flags, sql`sum(${sumOf(null)})::bigint`, (mask) => sql`sum(${sumOf(mask)})::bigint`)}
        FROM lead_signals.lead_bucket b WHERE b.brand_id = ${brandId} AND b.ordering = ${range.field}
          AND (b.key, b.id) >= (ends.from_key, ends.from_id) AND (b.key, b.id) < (ends.to_key, ends.to_id)) b,
      ${leads(sql`ends.is_one AND ${key} BETWEEN ${range.from} AND ${range.to}`)} w,
      ${leads(sql`NOT ends.is_one AND (${key}, l.id) >= (ends.from_at, ends.from_id) AND ${key} < ${range.from}`)} f,
      ${leads(sql`NOT ends.is_one AND (${key}, l.id) >= (ends.to_at, ends.to_id) AND ${key} <= ${range.to}`)} t)`
}

/** The number of leads before an instant, from the buckets before it; leads are read in the bucket of the instant alone. */
export const leadsBeforeSql = (brandId: number, flags: number | null, range: TimeRange): Sql => {
  const { column, textOf } = orderings[range.field]
  const key = raw(`l.${column}`)
  return sql`SELECT coalesce((SELECT sum(${sumOf(flags)}) FROM lead_signals.lead_bucket b
          WHERE b.brand_id = ${brandId} AND b.ordering = ${range.field} AND (b.key, b.id) < (f.key, f.id)), 0)::bigint
      + (SELECT count(*) FROM lead_signals.lead l
          WHERE l.brand_id = ${brandId} AND (${key}, l.id) >= (f.at, f.id) AND ${key} < ${range.from} AND ${hasFlags(flags)}) AS n
    FROM ${bucketAt(brandId, range, textOf(range.from), raw("0"))} f`
}

/** The ranges of a selection, each with the number of its leads, and of those that have the flags. */
export const rangesSql = ({ brandId, flags }: Selection, ranges: ReadonlyArray<TimeRange>): Sql =>
  sql`SELECT ${join(
    ranges.map(
      ({ field }) =>
        sql`coalesce(${raw(field)}.n, 0) AS ${raw(field)}, ${
          flags === null ? raw("NULL::bigint") : sql`coalesce(${raw(field)}.flagged, 0)`
        } AS ${raw(`${field}_flagged`)}`
    ),
    ", "
  )} FROM (SELECT 1) one ${join(
    ranges.map((range) => sql`LEFT JOIN ${rangeCountSql(brandId, flags, range)} ${raw(range.field)} ON true`),
    " "
  )}`

/** The number of matching leads, where counters and buckets give it; null otherwise. */
export const knownTotal = (
  selection: Selection,
  counters: Counters,
  ranges: Readonly<Record<string, number | null>>
): number | null => {
  if (hasOnly(selection, "flags")) return selection.flags === null ? counters.all_leads : counters.of_flags
  if (hasOnly(selection, "signalId", "flags")) return counters.of_both
  for (const field of ["created", "updated"] as const) {
    if (hasOnly(selection, "flags", field)) return ranges[`${field}_flagged`] ?? ranges[field]!
  }
  return null
}

/** The driver that matches the fewest leads, and their number. */
export const mostSelective = ({ all, drivers }: Counts): readonly [Driver, number] =>
  drivers.reduce<readonly [Driver, number]>(
    (best, next) => (next[1] <= best[1] ? next : best),
    ["order", all]
  )

/** Counts the matching leads over the driver, which is not the search. */
export const totalSql = (selection: Selection, driver: Driver): Sql =>
  sql`SELECT count(*) AS n FROM ${sourceOf(selection, driver, null)} WHERE ${conditions(selection, driver)}`

/** Entries of an index that are read in the time in which the lead of one found text is looked up, about. */
const lookupWeight = 16

/**
 * Counts the leads that the search alone finds, up to a limit, and those of them that match. The totals are whole where fewer than the
 * limit were found. `best` is the other condition that lets the fewest leads through, `n` of them: the leads of a search that finds few are
 * looked up, those of another are joined with what its index has. The planner must not join in nested loops.
 */
export const searchTotalSql = (
  selection: Selection,
  { best, limit, n }: { readonly best: Driver; readonly limit: number; readonly n: number }
): Sql => {
  const others = { ...selection, match: null }
  return sql`WITH t AS MATERIALIZED (
      SELECT t.brand_id, t.lead_id FROM lead_signals.lead_text t WHERE ${driven(selection, "search")} LIMIT ${limit}),
    s AS MATERIALIZED (SELECT count(*) AS n FROM t)
    SELECT s.n AS searched, CASE WHEN s.n >= ${limit} THEN 0
      WHEN s.n * ${lookupWeight} < ${n} THEN
        (SELECT count(*) FROM t${joinedLeads(selection, "search")} WHERE ${tests(selection, "search")})
      ELSE (SELECT count(*) FROM t JOIN (
          SELECT ${idColumnOf(best)} AS id FROM ${sourceOf(others, best, null)} WHERE ${conditions(others, best)} OFFSET 0) o
        ON o.id = t.lead_id) END AS n FROM s`
}

/** Counts the leads that a search without other conditions finds. */
export const searchedSql = (selection: Selection): Sql =>
  sql`SELECT count(*) AS n FROM lead_signals.lead_text t WHERE ${driven(selection, "search")}`
