/**
 * Plans lists, and writes them as SQL text and parameters. The module has no connection, so a test can read the query plan of
 * every shape.
 *
 * A list is found in one of two ways. It *walks* the index of its order and tests each lead until the page is full, or it
 * *gathers* what the most selective filter lets through, and sorts that. The counters say beforehand how many leads each
 * filter lets through (`FilterCounts`), so the cheaper way is known.
 */
import type { LeadId, LeadQuery, SortOrder } from "@lead-signals/domain"
import { Page } from "@lead-signals/domain/pure"
import type { QueryConnection } from "../connection/Connection.ts"
import { type Counts, mostSelective } from "./FilterCounts.ts"
import { type Ordering, orderingOf } from "../filter/Ordering.ts"
import {
  columnsOf,
  conditions,
  type Driver,
  isCounted,
  type Selection,
  sourceOf,
  sources,
  type Sql
} from "../filter/Selection.ts"
import * as TieBreak from "../filter/TieBreak.ts"

/** The index of the order, or the signal's own rows; for a gathered page, the rows of its driver. */
const accessPathOf = (
  selection: Selection,
  { column, index, name }: Ordering,
  { driver, way }: Pick<PagePlan, "driver" | "way">
): TieBreak.AccessPath => {
  const { created, id } = columnsOf(driver)
  if (name === "created") {
    const source =
      way === "walk" && driver !== "signal" ? `lead l INDEXED BY ${index}` : sourceOf(selection, driver)
    return { source, id, key: created }
  }
  const source = way === "walk" ? `lead l INDEXED BY ${index}` : sources[driver](selection)
  return { source, id, key: column }
}

/** Ties by id, ascending, whatever the direction. [SORT-5] */
const by = ({ id, key }: Pick<TieBreak.AccessPath, "id" | "key">, { isReversed }: Ordering): string =>
  `${key}${isReversed ? " DESC" : ""}, ${id}`

/** Sorting a gathered lead costs about as much as testing so many in a walk. */
const sortWeight = 3

/** Looking at the texts of one lead costs about as much as reading so many entries of their index. */
const textWeight = 5

/** How the leads of one page are found, and what that costs. */
export interface PagePlan {
  /**
   * It walks in the order, sorts what the driver lets through, or merges the beginnings of what each combination of flags lets
   * through.
   */
  readonly way: "walk" | "gather" | "merge"
  readonly driver: Driver
  /** Whether the texts of each lead of a walk are looked at, instead of the index of texts. */
  readonly looksAtTexts: boolean
  /** About one in so many leads whose texts are compared matches. */
  readonly rarity: number
  /** Effort, in leads or entries looked at. */
  readonly effort: number
}

/** Picks the cheaper plan of a page. `total` is the number of matching leads. */
export const planPage = (
  selection: Selection,
  { sort, page }: Pick<LeadQuery, "sort" | "page">,
  counts: Counts,
  total: number
): PagePlan => {
  const { name, range } = orderingOf(sort)
  const countOf = (wanted: Driver | null) => counts.drivers.find(([driver]) => driver === wanted)?.[1]
  // Leads of a signal are in the order of their creation.
  const walker: Driver = name === "created" && selection.signalId !== null ? "signal" : (range ?? "order")
  const walkable = Math.min(countOf(range) ?? counts.all, countOf(walker) ?? counts.all)
  const walked = Math.min(walkable, ((Page.offset(page) + page.pageSize) * walkable) / Math.max(total, 1))
  const [best, gathered] = mostSelective(counts)
  const walks = [walker, range, "order"].includes(best) || walked <= sortWeight * gathered
  if (name === "created" && selection.flags !== null && isCounted(selection)) {
    const merged = selection.flags.length * (Page.offset(page) + page.pageSize)
    if (merged < gathered && merged * sortWeight < walked) {
      return { way: "merge", driver: "flags", looksAtTexts: false, rarity: 1, effort: merged * sortWeight }
    }
  }
  const searched = countOf("search")
  // The number of leads that the most selective filter except the search matches.
  const others = Math.min(walkable, ...counts.drivers.flatMap(([each, n]) => (each === "search" ? [] : [n])))
  const read = (walked * others) / Math.max(walkable, 1)
  const looksAtTexts = walks && searched !== undefined && walked + read * textWeight < searched
  const inIndex = searched === undefined ? 0 : counts.searchEffort
  return {
    way: walks ? "walk" : "gather",
    driver: walks ? walker : best,
    looksAtTexts,
    rarity: others / Math.max(total, 1),
    effort: walks
      ? walked + (looksAtTexts ? read * textWeight : (searched ?? 0) + inIndex)
      : gathered * sortWeight + inIndex
  }
}

/** Selects as many of each combination of flags as the page can want, and the page among those. */
const mergedSql = (
  selection: Selection,
  ordering: Ordering,
  { limit, offset }: { readonly limit: number; readonly offset: number }
): Sql => {
  const { brandId, flags } = selection
  const inOrder = by({ id: "l.id", key: ordering.column }, ordering)
  const beginning = `SELECT * FROM (SELECT l.id, ${ordering.column} AS key FROM ${sources.flags(selection)}
     WHERE l.brand_id = ? AND l.flags = ? ORDER BY ${inOrder} LIMIT ?)`
  return {
    text: `SELECT id FROM (${flags!.map(() => beginning).join(" UNION ALL ")})
      ORDER BY key${ordering.isReversed ? " DESC" : ""}, id LIMIT ? OFFSET ?`,
    params: [...flags!.flatMap((each) => [brandId, each, offset + limit]), limit, offset]
  }
}

/** The ids of one page, in order. */
export const readPage = (
  sql: QueryConnection,
  selection: Selection,
  query: Pick<LeadQuery, "sort" | "page">,
  { driver, way }: Pick<PagePlan, "driver" | "way">
): ReadonlyArray<LeadId> => {
  const ordering = orderingOf(query.sort)
  const [offset, limit] = [Page.offset(query.page), query.page.pageSize]
  if (way === "merge") {
    const { params, text } = mergedSql(selection, ordering, { offset, limit })
    return sql.column<LeadId>(text, params)
  }
  const wanted = conditions(selection, driver)
  const path = accessPathOf(selection, ordering, { driver, way })
  if (way === "walk" && ordering.isReversed) {
    const { from, length } = TieBreak.rangeOf({ offset, limit })
    const { id, key, source } = path
    const rows = TieBreak.readKeyed(
      sql,
      `SELECT ${id}, ${key} FROM ${source} WHERE ${wanted.text} ORDER BY ${key} DESC, ${id} DESC LIMIT ? OFFSET ?`,
      [...wanted.params, length, from]
    )
    const tiedSql = (tied: TieBreak.Tied) => TieBreak.tiedSql(path, wanted, tied)
    return TieBreak.inOrder(sql, TieBreak.pageOf(rows, { offset, limit }), tiedSql)
  }
  return sql.column<LeadId>(
    `SELECT ${path.id} FROM ${path.source} WHERE ${wanted.text} ORDER BY ${by(path, ordering)} LIMIT ? OFFSET ?`,
    [...wanted.params, limit, offset]
  )
}

/**
 * So many leads of the walk with their texts, from the n-th on; what is searched for is for the caller to see. Against its
 * index leads of one key come by descending ids.
 */
export const textsSql = (
  selection: Selection,
  sort: SortOrder.SortOrder,
  { driver }: Pick<PagePlan, "driver">,
  { from, length }: { readonly from: number; readonly length: number }
): Sql => {
  const ordering = orderingOf(sort)
  const { params, text } = conditions({ ...selection, match: null }, driver)
  const { id, key } = accessPathOf(selection, ordering, { driver, way: "walk" })
  const source = driver === "signal" ? sources.signal(selection) : `lead l INDEXED BY ${ordering.index}`
  const against = ordering.isReversed ? " DESC" : ""
  return {
    text: `SELECT ${id}, l.name, l.headline, ${key} FROM ${source}
      WHERE ${text} ORDER BY ${key}${against}, ${id}${against} LIMIT ? OFFSET ?`,
    params: [...params, length, from]
  }
}

/** Greatest number of leads that are gathered to compare their texts, and that one query of such a scan reads. */
export const maxScanned = 20_000

/** A scan of what one filter lets through, which compares the texts of each lead. */
export interface FilteredScan {
  readonly driver: Driver
  /** As of a `PagePlan`. */
  readonly effort: number
}

/** Plans a filtered scan where the index finds only a part of the needle. Null where the index answers the search. */
export const planFilteredScan = ({ match }: Selection, counts: Counts): FilteredScan | null => {
  if (match === null || match.part === match.needle) return null
  const [driver, gathered] = mostSelective(counts)
  return { driver, effort: gathered * textWeight + (driver === "search" ? counts.searchEffort : 0) }
}

/** Leads `from` to `from + length` of the scan, in order and with their texts, which the caller compares. */
export const filteredScanSql = (
  selection: Selection,
  sort: SortOrder.SortOrder,
  { driver }: Pick<FilteredScan, "driver">,
  { from, length }: { readonly from: number; readonly length: number }
): Sql => {
  const { params, text } = conditions(driver === "search" ? selection : { ...selection, match: null }, driver)
  const ordering = orderingOf(sort)
  const { id, key } = accessPathOf(selection, ordering, { driver, way: "gather" })
  return {
    text: `SELECT ${id}, l.name, l.headline, ${key} FROM ${sources[driver](selection)}
      WHERE ${text} ORDER BY ${by({ id, key }, ordering)} LIMIT ? OFFSET ?`,
    params: [...params, length, from]
  }
}
