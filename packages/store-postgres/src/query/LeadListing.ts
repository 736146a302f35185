/**
 * Plans lists, and writes them as SQL. The module has no connection, so a test can read the query plan of every shape.
 *
 * A list is found in one of two ways. It *walks* the index of its order and tests each lead until the page is full, or it *gathers* what
 * the most selective filter lets through, and sorts that. The counters say beforehand how many leads each filter lets through
 * (`FilterCounts`), so the cheaper way is known, and the text of the statement leaves the planner no other.
 */
import type { LeadQuery } from "@lead-signals/domain"
import { Page } from "@lead-signals/domain/pure"
import { type Counts, mostSelective } from "./FilterCounts.ts"
import { type Ordering, orderingOf } from "./Ordering.ts"
import {
  conditions,
  type Driver,
  flagsIn,
  hasOnly,
  idColumnOf,
  keyColumnOf,
  type Selection,
  sourceOf
} from "./Selection.ts"
import { join, raw, type Sql, sql } from "./Sql.ts"

/** How the leads of one page are found, and what that costs. */
export interface PagePlan {
  /**
   * It walks in the order, sorts what the driver lets through, or merges the beginnings of what each combination of flags lets through.
   */
  readonly way: "walk" | "gather" | "merge"
  readonly driver: Driver
  /** Effort, in entries of an index looked at. */
  readonly effort: number
}

/** Entries of an index that are read in the time in which the row or the texts of one lead are looked up, about. */
const lookupWeight = 5

/** Sorting a gathered lead costs about as much as reading so many entries. */
const sortWeight = 3

/** Picks the cheaper plan of a page. `total` is the number of matching leads. */
export const planPage = (
  selection: Selection,
  { page, sort }: Pick<LeadQuery, "sort" | "page">,
  counts: Counts,
  total: number
): PagePlan => {
  const { name, range } = orderingOf(sort)
  const countOf = (wanted: Driver): number | undefined =>
    counts.drivers.find(([driver]) => driver === wanted)?.[1]
  const wanted = Page.offset(page) + page.pageSize
  const isOfRange = range !== null && selection[range] !== null
  // Leads of a signal are in the order of their creation.
  const walker: Driver =
    name === "created" && selection.signalId !== null ? "signal" : isOfRange ? range : "order"
  const walkable = Math.min(countOf(walker) ?? counts.all, isOfRange ? countOf(range)! : counts.all)
  // The index of an order has what filters test, and leads of a signal are read by themselves; only texts are looked up.
  const isLookedUp = selection.match !== null || (walker === "signal" && selection.updated !== null)
  const walked =
    Math.min(walkable, (wanted * walkable) / Math.max(total, 1)) * (isLookedUp ? 1 + lookupWeight : 1)
  const [best, gathered] = mostSelective(counts)
  const gathering = gathered * (sortWeight + lookupWeight)
  if (name === "created" && selection.flags !== null && hasOnly(selection, "flags")) {
    const merged = flagsIn(selection.flags).length * wanted * sortWeight
    if (merged < gathering && merged < walked) return { way: "merge", driver: "flags", effort: merged }
  }
  const walks = best === "order" || best === walker || walked <= gathering
  return walks
    ? { way: "walk", driver: walker, effort: walked }
    : { way: "gather", driver: best, effort: gathering }
}

const direction = ({ isReversed }: Ordering): Sql => raw(isReversed ? " DESC" : "")

/** Selects as many of each combination of flags as the page can want, and the page among those. */
const mergedSql = (selection: Selection, ordering: Ordering, wanted: number): Sql =>
  join(
    flagsIn(selection.flags!).map(
      (flags) => sql`(SELECT l.id, l.created_at AS key FROM lead_signals.lead l
        WHERE l.brand_id = ${selection.brandId} AND l.flags = ${flags}
        ORDER BY l.created_at${direction(ordering)}, l.id LIMIT ${wanted})`
    ),
    " UNION ALL "
  )

/** The ids of one page, in order. Ties go by id, ascending, whatever the direction. [SORT-5] */
export const pageSql = (
  selection: Selection,
  { page, sort }: Pick<LeadQuery, "sort" | "page">,
  { driver, way }: Pick<PagePlan, "driver" | "way">
): Sql => {
  const ordering = orderingOf(sort)
  const [offset, limit] = [Page.offset(page), page.pageSize]
  const key = keyColumnOf(driver, ordering.column)
  if (way === "walk") {
    const bound = driver === "order" && ordering.range !== null ? selection.bounds[ordering.range] : null
    const within = bound === null ? raw("") : sql` AND ${key} BETWEEN ${bound.from} AND ${bound.to}`
    return sql`SELECT ${idColumnOf(driver)} AS id FROM ${sourceOf(selection, driver, ordering.column)}
      WHERE ${conditions(selection, driver)}${within}
      ORDER BY ${key}${direction(ordering)}, ${idColumnOf(driver)} LIMIT ${limit} OFFSET ${offset}`
  }
  const rows =
    way === "merge"
      ? mergedSql(selection, ordering, offset + limit)
      : sql`SELECT ${idColumnOf(driver)} AS id, ${key} AS key FROM ${sourceOf(selection, driver, ordering.column)}
          WHERE ${conditions(selection, driver)}`
  return sql`WITH gathered AS MATERIALIZED (${rows})
    SELECT id FROM gathered ORDER BY key${direction(ordering)}, id LIMIT ${limit} OFFSET ${offset}`
}
