/**
 * How many leads match a filter. Counters hold the number for flags and signals, and rank buckets for ranges of time, each with
 * flags; otherwise a query reads the index of the most selective condition.
 */
import { orderings } from "./Ordering.ts"
import {
  conditions,
  type Driver,
  hasFlags,
  driven,
  hasOnly,
  joinedLeads,
  type Range,
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
const bucketAt = (brandId: number, { field }: Range, key: string, id: Sql): Sql =>
  sql`(SELECT b.key, b.id, coalesce(nullif(b.key, '')::bigint, -1) AS at FROM lead_signals.lead_bucket b
    WHERE b.brand_id = ${brandId} AND b.ordering = ${field} AND (b.key, b.id) <= (${key} COLLATE "C", ${id})
    ORDER BY b.key DESC, b.id DESC LIMIT 1)`

/** No lead has a greater id. */
const maxId = raw("9223372036854775807")

/** The number of leads in a range, from the buckets between its ends; leads are read in the buckets of the ends alone. */
export const rangeCountSql = (brandId: number, flags: number | null, range: Range): Sql => {
  const { column, textOf } = orderings[range.field]
  const key = raw(`l.${column}`)
  const leads = (where: Sql): Sql =>
    sql`(SELECT count(*) FROM lead_signals.lead l WHERE l.brand_id = ${brandId} AND ${where} AND ${hasFlags(flags)})`
  return sql`(SELECT CASE WHEN f.key = t.key AND f.id = t.id
      THEN ${leads(sql`${key} BETWEEN ${range.from} AND ${range.to}`)}
      ELSE coalesce((SELECT sum(${sumOf(flags)}) FROM lead_signals.lead_bucket b
          WHERE b.brand_id = ${brandId} AND b.ordering = ${range.field}
            AND (b.key, b.id) >= (f.key, f.id) AND (b.key, b.id) < (t.key, t.id)), 0)
        - ${leads(sql`(${key}, l.id) >= (f.at, f.id) AND ${key} < ${range.from}`)}
        + ${leads(sql`(${key}, l.id) >= (t.at, t.id) AND ${key} <= ${range.to}`)}
      END::bigint
    FROM ${bucketAt(brandId, range, textOf(range.from), raw("0"))} f,
      ${bucketAt(brandId, range, textOf(range.to), maxId)} t)`
}

/** The number of leads before an instant, from the buckets before it; leads are read in the bucket of the instant alone. */
export const leadsBeforeSql = (brandId: number, flags: number | null, range: Range): Sql => {
  const { column, textOf } = orderings[range.field]
  const key = raw(`l.${column}`)
  return sql`SELECT coalesce((SELECT sum(${sumOf(flags)}) FROM lead_signals.lead_bucket b
          WHERE b.brand_id = ${brandId} AND b.ordering = ${range.field} AND (b.key, b.id) < (f.key, f.id)), 0)::bigint
      + (SELECT count(*) FROM lead_signals.lead l
          WHERE l.brand_id = ${brandId} AND (${key}, l.id) >= (f.at, f.id) AND ${key} < ${range.from} AND ${hasFlags(flags)}) AS n
    FROM ${bucketAt(brandId, range, textOf(range.from), raw("0"))} f`
}

/** The ranges of a selection, each with the number of its leads, and of those that have the flags. */
export const rangesSql = ({ brandId, flags }: Selection, ranges: ReadonlyArray<Range>): Sql =>
  sql`SELECT ${join(
    ranges.map(
      (range) => sql`coalesce(${rangeCountSql(brandId, null, range)}, 0) AS ${raw(range.field)},
        ${flags === null ? raw("NULL::bigint") : sql`coalesce(${rangeCountSql(brandId, flags, range)}, 0)`} AS ${raw(`${range.field}_flagged`)}`
    ),
    ", "
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

/**
 * Counts the leads that the search alone finds, up to a limit, and those of them that match. The totals are whole where fewer than the
 * limit were found.
 */
export const searchTotalSql = (selection: Selection, limit: number | null): Sql => {
  const found = sql`(SELECT t.brand_id, t.lead_id, t.name_key, t.headline_key FROM lead_signals.lead_text t
    WHERE ${driven(selection, "search")}${limit === null ? raw("") : sql` LIMIT ${limit}`}) t`
  return sql`SELECT count(*) FILTER (WHERE ${tests(selection, "search")}) AS n, count(*) AS searched
    FROM ${found}${joinedLeads(selection, "search")}`
}
