/** Finds and renders a page of leads: counts what each filter lets through, and follows the cheapest plan of `LeadListing`. */
import type { EngagementWindow, LeadId, LeadListQuery, LeadPage, RenderedPage } from "@lead-signals/domain"
import { Page, RenderedLeads } from "@lead-signals/domain/pure"
import { filterKeyOf, idOf } from "@lead-signals/sql-rows"
import type { Connection } from "../connection/Connection.ts"
import { leadsById, renderedLeads, windows } from "../rows/LeadReads.ts"
import * as FilterCounts from "./FilterCounts.ts"
import * as LeadListing from "./LeadListing.ts"
import { orderingOf } from "./Ordering.ts"
import { withNestedLoops, withoutNestedLoops } from "./PlannerSettings.ts"
import * as RankIndex from "./RankIndex.ts"
import { type Driver, hasOnly, select, type Selection } from "./Selection.ts"
import type { Sql } from "./Sql.ts"
import type { TotalCache } from "./TotalCache.ts"

/** When lists change from one way to another, and rank buckets split; for tests with few leads. */
export interface ListingOptions extends RankIndex.RankIndexOptions {
  /** Leads whose texts are compared one by one at most, rather than looked up in the index of texts. */
  readonly maxComparedLeads: number
}

/** The bounds that `layer` uses; a test lowers them. */
export const defaults: ListingOptions = { ...RankIndex.defaults, maxComparedLeads: 5000 }

interface FoundPage {
  readonly total: number
  /** In the order of the page. */
  readonly ids: ReadonlyArray<LeadId>
}

const get = async <Row>(db: Connection, sql: Sql): Promise<Row> => {
  const { params, text } = sql.statement()
  return (await db.get<Row>(text, params))!
}

/** How many leads match, and how many each filter lets through. */
const count = async (
  db: Connection,
  selection: Selection,
  { maxComparedLeads }: ListingOptions,
  totals: TotalCache
) => {
  const { created, flags, match, signalId, updated } = selection
  const counters = await get<FilterCounts.Counters>(db, FilterCounts.countersSql(selection))
  const ranges = [created, updated].filter((range) => range !== null)
  const ofRanges =
    ranges.length === 0
      ? {}
      : await get<Record<string, number | null>>(db, FilterCounts.rangesSql(selection, ranges))
  const drivers: Array<readonly [Driver, number]> = [["order", counters.all_leads]]
  if (flags !== null) drivers.push(["flags", counters.of_flags])
  for (const { field } of ranges) drivers.push([field, ofRanges[field]!])
  if (signalId !== null) drivers.push(["signal", counters.of_signal])
  const counts: FilterCounts.Counts = { version: counters.version, all: counters.all_leads, drivers }
  const known = FilterCounts.knownTotal(selection, counters, ofRanges)
  if (known !== null) return { counts, total: known }
  const [best, n] = FilterCounts.mostSelective(counts)
  if (n === 0) return { counts, total: 0 }
  const key = filterKeyOf(selection)
  let total = totals.get(key, counters.version)
  if (total === null) {
    total =
      match !== null && n > maxComparedLeads
        ? await countFound(db, selection, best, n)
        : { ...(await get<{ n: number }>(db, FilterCounts.totalSql(selection, best))), searched: null }
    totals.set(key, { version: counters.version, ...total })
  }
  const searched = total.searched === null ? [] : [["search", total.searched] as const]
  return { counts: { ...counts, drivers: [...drivers, ...searched] }, total: total.n }
}

/** Comparing a text that the index of texts finds costs about this part of looking up the texts of a lead. */
const comparedPart = 8

/** Counts what a search finds, or, when that is far more than another filter lets through, looks up what that filter lets through. */
const countFound = async (
  db: Connection,
  selection: Selection,
  best: Driver,
  n: number
): Promise<{ readonly n: number; readonly searched: number | null }> => {
  if (hasOnly(selection, "match")) {
    const found = await get<{ n: number }>(db, FilterCounts.searchedSql(selection))
    return { n: found.n, searched: found.n }
  }
  const limit = comparedPart * n
  await db.all(withoutNestedLoops)
  const found = await get<{ n: number; searched: number }>(
    db,
    FilterCounts.searchTotalSql(selection, { best, limit, n })
  )
  await db.all(withNestedLoops)
  if (found.searched < limit) return found
  return { ...(await get<{ n: number }>(db, FilterCounts.totalSql(selection, best))), searched: null }
}

/** The ids of a page and the number of all matching leads. */
const findPage = async (
  db: Connection,
  brandId: number,
  query: LeadListQuery,
  options: ListingOptions,
  totals: TotalCache
): Promise<FoundPage> => {
  const selection = select(brandId, query.filter)
  if (selection.isEmpty) return { total: 0, ids: [] }
  const { counts, total } = await count(db, selection, options, totals)
  const [offset, limit] = [Page.offset(query.page), query.page.pageSize]
  if (offset >= total) return { total, ids: [] }
  const plan = LeadListing.planPage(selection, query, counts, total)
  const ordering = orderingOf(query.sort)
  const { range } = ordering
  const isCounted = hasOnly(selection, "flags") || (range !== null && hasOnly(selection, "flags", range))
  if (isCounted && options.findingEffort + (limit * counts.all) / total < plan.effort) {
    const window = range === null ? null : selection[range]
    const before =
      window === null
        ? 0
        : (await get<{ n: number }>(db, FilterCounts.leadsBeforeSql(brandId, selection.flags, window))).n
    return { total, ids: await RankIndex.readPage(db, selection, ordering, { before, limit, offset, total }) }
  }
  const page = LeadListing.pageSql(selection, query, plan).statement()
  const rows = await db.all<{ id: LeadId }>(page.text, page.params)
  return { total, ids: rows.map(({ id }) => id) }
}

const windowsOf = async (
  db: Connection,
  brandId: number,
  { engagements }: LeadListQuery,
  ids: ReadonlyArray<LeadId>
): Promise<ReadonlyMap<LeadId, EngagementWindow> | null> =>
  engagements === "none" || ids.length === 0 ? null : windows(db, brandId, ids, engagements)

/** Reads a page of leads within one snapshot. */
export const readLeadPage = async (
  db: Connection,
  brand: string,
  query: LeadListQuery,
  options: ListingOptions,
  totals: TotalCache
): Promise<LeadPage> => {
  const brandId = idOf(brand)
  const { ids, total } = await findPage(db, brandId, query, options, totals)
  const byLead = await windowsOf(db, brandId, query, ids)
  const leads = await leadsById(db, brandId, ids)
  return { total, leads: leads.map((lead) => ({ lead, window: byLead?.get(lead.id) ?? null })) }
}

/** Reads a page of rendered leads within one snapshot. */
export const readRenderedPage = async (
  db: Connection,
  brand: string,
  query: LeadListQuery,
  options: ListingOptions,
  totals: TotalCache
): Promise<RenderedPage> => {
  const brandId = idOf(brand)
  const { ids, total } = await findPage(db, brandId, query, options, totals)
  const byLead = await windowsOf(db, brandId, query, ids)
  const leads = await renderedLeads(db, brandId, ids)
  return {
    total,
    leads: leads.map((rendered, i) =>
      RenderedLeads.listed(rendered, byLead?.get(ids[i]!) ?? null, query.engagements)
    )
  }
}
