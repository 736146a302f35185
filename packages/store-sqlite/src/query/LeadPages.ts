/**
 * Finds and renders a page of leads: counts what each filter lets through, follows the cheapest plan of `LeadListing`, and
 * uses totals that are known. Synchronous, over one snapshot of the file, so that the serving thread and the reading worker
 * run the same code.
 */
import type { EngagementWindow, LeadId, LeadListQuery, LeadPage, RenderedPage } from "@lead-signals/domain"
import { Page, RenderedLeads } from "@lead-signals/domain/pure"
import type { Connection, QueryConnection } from "../connection/Connection.ts"
import * as FilterCounts from "./FilterCounts.ts"
import { newestSql } from "../cache/LeadChanges.ts"
import * as LeadListing from "./LeadListing.ts"
import { leadsById, renderedLeads, windows } from "../rows/LeadReads.ts"
import { orderingOf } from "../filter/Ordering.ts"
import * as RankIndex from "../rank-index/RankIndex.ts"
import { filterKeyOf, idOf } from "@lead-signals/sql-rows"
import { isFoundBy } from "../search/SearchIndex.ts"
import { searchTail } from "../search/SearchTail.ts"
import { isCounted, select, type Selection, type Sql } from "../filter/Selection.ts"
import * as TieBreak from "../filter/TieBreak.ts"
import type { Total } from "./Totals.ts"

/** Bounds of listing that tests and hosts set. */
export interface ListingOptions {
  readonly rankIndex: RankIndex.RankIndexOptions
  /** Reads with more effort than about so many leads or entries are offloaded to the reading worker. */
  readonly maxEffort: number
}

/** Totals of the snapshot, or of an earlier one where the caller permits that, by key. */
export interface KnownTotals {
  readonly get: (key: string) => number | undefined
  /** `state` is the number of the newest change in the snapshot. */
  readonly set: (key: string, total: Total, state: number) => void
}

/** What earlier reads have counted. */
export interface KnownCounts {
  readonly totals: KnownTotals
  /** Null where none are kept. */
  readonly buckets: RankIndex.KnownBuckets | null
}

/** The leads of a page. */
interface FoundPage {
  readonly total: number
  /** In the order of the page. */
  readonly ids: ReadonlyArray<LeadId>
}

/** Adds the number of the newest change in the snapshot to the columns of a query. */
const withState = (text: string): string => `SELECT *, (${newestSql}) AS state FROM (${text})`

const searchTotalKey = (brandId: number, part: string): string => `search ${brandId} ${part}`

/** The keys of all totals that reading a page of the query may look up. */
export const totalKeys = (brandId: string, { filter }: LeadListQuery): ReadonlyArray<string> => {
  const selection = select(idOf(brandId), filter)
  const { match } = selection
  return match === null
    ? [filterKeyOf(selection)]
    : [filterKeyOf(selection), searchTotalKey(selection.brandId, match.part)]
}

/** How many each filter lets through; null when counting what a search finds takes more effort than it may. */
const countFilters = (
  sql: QueryConnection,
  selection: Selection,
  maxEffort: number,
  totals: KnownTotals
): FilterCounts.Counts | null => {
  const { brandId, match } = selection
  const counting = FilterCounts.countsSql(selection)
  const columns = sql.get<Record<string, number>>(withState(counting.sql.text), counting.sql.params)!
  const drivers = counting.drivers.map((driver, i) => [driver, columns[`c${i}`]!] as const)
  const all = drivers[0]![1]
  if (match === null) return { all, drivers, searchEffort: 0 }
  const searchEffort = FilterCounts.searchEffort(sql, match, all, maxEffort)
  const withSearch = (n: number): FilterCounts.Counts => ({
    all,
    drivers: [...drivers, ["search", n]],
    searchEffort
  })
  const key = searchTotalKey(brandId, match.part)
  const known = totals.get(key)
  if (known !== undefined) return withSearch(known)
  if (searchEffort > maxEffort) return null
  const searchedSql = FilterCounts.searchedSql(match, maxEffort + 1)
  const n = sql.value<number>(searchedSql.text, searchedSql.params)! + selection.unindexed.length
  if (n > maxEffort) return null
  totals.set(key, { n, brandId: String(brandId), filter: { search: match.part } }, columns["state"]!)
  return withSearch(n)
}

/** A tuple, since a scan reads many for few that match. */
type Texts = readonly [id: LeadId, name: string, headline: string | null, key: string | number]

/** A text walk reads longer parts than suffice where the matching leads lie evenly. */
const lookAhead = 1.3

/**
 * The page of a search that lets many through: walks the order and compares each lead's texts. About one in `rarity` of the
 * leads that it reads matches.
 */
const walkTexts = (
  sql: QueryConnection,
  { page, sort }: LeadListQuery,
  needle: string,
  rarity: number,
  textsSql: (part: { readonly from: number; readonly length: number }) => Sql
): ReadonlyArray<LeadId> => {
  const { isReversed } = orderingOf(sort)
  const wanted = Page.offset(page) + page.pageSize
  const matched: Array<TieBreak.Keyed> = []
  // Each part is twice as long as the one before, since each query walks from the start.
  let length = Math.ceil(lookAhead * rarity * wanted) + page.pageSize
  for (let from = 0; ; from += length, length *= 2) {
    length = Math.min(length, LeadListing.maxScanned)
    const { params, text } = textsSql({ from, length })
    const rows = sql.tuples<Texts>(text, params)
    for (const [id, name, headline, key] of rows) {
      if (isFoundBy(needle, name, headline)) matched.push({ id, key })
    }
    // Where the walk runs against its index, the whole run of the last key must be there to be reversed.
    const isEnough =
      matched.length >= wanted && (!isReversed || rows.at(-1)?.[3] !== matched[wanted - 1]!.key)
    if (isEnough || rows.length < length) break
  }
  const inOrder = isReversed ? TieBreak.reverseRuns(matched) : matched
  return inOrder.slice(Page.offset(page), wanted).map(({ id }) => id)
}

/** All leads that the search finds, in order, by a filtered scan. */
const scanAll = (
  sql: QueryConnection,
  selection: Selection,
  { sort }: LeadListQuery,
  needle: string,
  scan: LeadListing.FilteredScan
): ReadonlyArray<LeadId> => {
  const ids: Array<LeadId> = []
  const length = LeadListing.maxScanned
  for (let from = 0; ; from += length) {
    const { params, text } = LeadListing.filteredScanSql(selection, sort, scan, { from, length })
    const rows = sql.tuples<Texts>(text, params)
    for (const [id, name, headline] of rows) if (isFoundBy(needle, name, headline)) ids.push(id)
    if (rows.length < length) return ids
  }
}

const readPlanned = (
  sql: QueryConnection,
  selection: Selection,
  query: LeadListQuery,
  plan: LeadListing.PagePlan
): ReadonlyArray<LeadId> => {
  const { search } = query.filter
  if (!plan.looksAtTexts || search === undefined) return LeadListing.readPage(sql, selection, query, plan)
  return walkTexts(sql, query, search, plan.rarity, (part) =>
    LeadListing.textsSql(selection, query.sort, plan, part)
  )
}

/** Finds the ids of a page; null when that takes more than `maxEffort`. */
const findPage = (
  sql: QueryConnection,
  brandId: string,
  query: LeadListQuery,
  { maxEffort, rankIndex }: ListingOptions,
  { buckets, totals }: KnownCounts
): FoundPage | null => {
  const selected = select(idOf(brandId), query.filter)
  if (selected.isEmpty) return { total: 0, ids: [] }
  const { match } = selected
  const selection =
    match === null ? selected : { ...selected, unindexed: searchTail(sql, selected.brandId, match.part) }
  const key = filterKeyOf(selection)
  const { search } = query.filter
  const counts = countFilters(sql, selection, maxEffort, totals)
  if (counts === null) return null
  const [offset, limit] = [Page.offset(query.page), query.page.pageSize]
  const scan = LeadListing.planFilteredScan(selection, counts)
  if (scan !== null && search !== undefined) {
    if (scan.effort > maxEffort) return null
    const all = scanAll(sql, selection, query, search, scan)
    return { total: all.length, ids: all.slice(offset, offset + limit) }
  }
  let total = FilterCounts.knownTotal(selection, counts) ?? totals.get(key)
  if (total === undefined) {
    if (FilterCounts.totalEffort(selection, counts) > maxEffort) return null
    const totalSql = FilterCounts.totalSql(selection, counts)
    const counted = sql.get<{ n: number; state: number }>(withState(totalSql.text), totalSql.params)!
    total = counted.n
    totals.set(key, { n: total, brandId, filter: query.filter }, counted.state)
  }
  if (offset >= total) return { total, ids: [] }
  const plan = LeadListing.planPage(selection, query, counts, total)
  const isPlaced =
    isCounted(selection) && rankIndex.findingEffort + (limit * counts.all) / total < plan.effort
  if (!isPlaced && plan.effort > maxEffort) return null
  const ids = isPlaced
    ? RankIndex.readPage(sql, selection, orderingOf(query.sort), { limit, offset, total }, buckets)
    : readPlanned(sql, selection, query, plan)
  return { total, ids }
}

const windowsOf = (
  sql: Connection,
  { engagements }: LeadListQuery,
  ids: ReadonlyArray<LeadId>
): ReadonlyMap<LeadId, EngagementWindow> | null =>
  engagements === "none" || ids.length === 0 ? null : windows(sql, ids, engagements)

/** Reads a page of some form; null when it takes more than `maxEffort`. */
export type ReadPage<A> = (
  sql: Connection,
  brandId: string,
  query: LeadListQuery,
  options: ListingOptions,
  known: KnownCounts
) => A | null

/** Reads what a page of some form shows of the leads that it has. */
export type ReadFound<A> = (sql: Connection, query: LeadListQuery, found: FoundPage) => A

/** Reads the leads of a page, each with its newest engagements where the query wants any. */
export const foundLeadPage: ReadFound<LeadPage> = (sql, query, { ids, total }) => {
  const byLead = windowsOf(sql, query, ids)
  const leads = leadsById(sql, ids)
  return { total, leads: leads.map((lead) => ({ lead, window: byLead?.get(lead.id) ?? null })) }
}

/** Reads the JSON of a page's leads; engagements are rendered anew, within it. */
export const foundRenderedPage: ReadFound<RenderedPage> = (sql, query, { ids, total }) => {
  const byLead = windowsOf(sql, query, ids)
  const leads = renderedLeads(sql, ids)
  return {
    total,
    leads: leads.map((rendered, i) =>
      RenderedLeads.listed(rendered, byLead?.get(ids[i]!) ?? null, query.engagements)
    )
  }
}

const reading =
  <A>(readFound: ReadFound<A>): ReadPage<A> =>
  (sql, brandId, query, options, known) => {
    const found = findPage(sql, brandId, query, options, known)
    return found === null ? null : readFound(sql, query, found)
  }

/** Finds and reads a page of leads. */
export const readLeadPage = reading(foundLeadPage)

/** Finds a page and reads its leads as JSON: the way of every list of the API. */
export const readRenderedPage = reading(foundRenderedPage)
