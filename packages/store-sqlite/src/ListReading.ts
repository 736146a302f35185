/**
 * Reads a page of leads: counts what each filter lets through, takes the way that `LeadListing` finds the cheapest, and
 * remembers what it found while nothing is written, and totals while it knows what is. Questions to the file, which either
 * of two threads can answer.
 */
import {
  type EngagementWindow,
  type LeadId,
  type LeadPage,
  type LeadStore,
  Page,
  ShownLeads,
  type ShownPage,
  type StoreUnavailable
} from "@lead-signals/domain"
import { Effect } from "effect"
import { answer, ask, askColumn, askTuples, type Asking } from "./Asking.ts"
import type { Database } from "./Database.ts"
import { type LeadChanges, newestSql } from "./LeadChanges.ts"
import * as FilterCounts from "./FilterCounts.ts"
import * as LeadListing from "./LeadListing.ts"
import { orderingOf } from "./Ordering.ts"
import { isCounted, keyOf, select, type Selection, type Sql } from "./Selection.ts"
import { askLeads, askShown, askWindows, type KnownSignals, knownTo } from "./LeadReading.ts"
import * as Positions from "./Positions.ts"
import { type Kept, Remembered } from "./Remembered.ts"
import { idOf } from "./Rows.ts"
import { isFoundBy } from "./SearchIndex.ts"
import * as Ties from "./Ties.ts"
import { type KnownTotals, matches, Totals } from "./Totals.ts"

interface FoundPage {
  readonly total: number
  /** In the order of the page. */
  readonly ids: ReadonlyArray<LeadId>
  /** By lead; null when the query did not ask for engagements. */
  readonly windows: ReadonlyMap<LeadId, EngagementWindow> | null
}

type Query = Parameters<(typeof LeadStore.Service)["list"]>[1]

/** What the store does otherwise than it does by default. */
export interface ListingOptions {
  readonly positions: Positions.PositionOptions
  /** What takes as long as looking at more leads or entries than about so many is done in a thread of its own. */
  readonly greatestEffort: number
}

/** What need not be read again while nothing is written: signals, and what was counted. */
interface Memory {
  readonly signals: KnownSignals
  readonly counts: Kept<FilterCounts.Counts>
  readonly totals: KnownTotals
  readonly stretches: Kept<Positions.Stretches>
  /** All of a list, in order. */
  readonly lists: Kept<ReadonlyArray<LeadId>>
  /** Single pages, of lists that are not kept whole. */
  readonly pages: Kept<ReadonlyArray<LeadId>>
}

/** With the number of the newest change of the state of the file that it is of. */
const ofState = (text: string): string => `SELECT *, (${newestSql}) AS state FROM (${text})`

/** How many each filter lets through; null when counting what a search finds takes more effort than it may. */
function* countsOf(
  selection: Selection,
  greatestEffort: number,
  totals: KnownTotals
): Asking<FilterCounts.Counts | null> {
  const { brandId, match } = selection
  const asked = FilterCounts.countsSql(selection)
  const [columns] = yield* ask<Record<string, number>>(ofState(asked.sql.text), asked.sql.params)
  const drivers = asked.drivers.map((driver, i) => [driver, columns![`c${i}`]!] as const)
  const all = drivers[0]![1]
  if (match === null) return { all, drivers, searchEffort: 0 }
  const searchEffort = yield* FilterCounts.searchEffort(match, all, greatestEffort)
  const counted = (n: number): FilterCounts.Counts => ({
    all,
    drivers: [...drivers, ["search", n]],
    searchEffort
  })
  const key = `search ${brandId} ${match.part}`
  const remembered = totals.get(key)
  if (remembered !== undefined) return counted(remembered)
  if (searchEffort > greatestEffort) return null
  const searchedSql = FilterCounts.searchedSql(match, greatestEffort + 1)
  const [n] = yield* askColumn<number>(searchedSql.text, searchedSql.params)
  if (n! > greatestEffort) return null
  const found = { brandId, signalId: null, flags: null, created: null, updated: null }
  totals.set(key, { state: columns!["state"]!, n: n!, counts: (lead) => matches(found, match.part, lead) })
  return counted(n!)
}

/** The same, remembered. */
function* knownCounts(
  selection: Selection,
  key: string,
  greatestEffort: number,
  { counts, totals }: Memory
): Asking<FilterCounts.Counts | null> {
  const known = counts.get(key)
  if (known !== undefined) return known
  const counted = yield* countsOf(selection, greatestEffort, totals)
  if (counted !== null) counts.set(key, counted)
  return counted
}

/** Many are looked at for few that match: no objects. */
type Texts = readonly [id: LeadId, name: string, headline: string | null, key: string | number]

function* windowsFor(
  { engagements }: Query,
  ids: ReadonlyArray<LeadId>,
  signals: KnownSignals
): Asking<FoundPage["windows"]> {
  return engagements === "none" ? null : yield* askWindows(ids, signals, engagements)
}

/** Folding and comparing so many texts takes some milliseconds, however long they are. */
const foldedAtOnce = 200

/** The rows that contain the needle. In the reading thread's case, each query in between lets this thread serve others. */
function* foundIn(rows: ReadonlyArray<Texts>, needle: string): Asking<ReadonlyArray<Texts>> {
  const found: Array<Texts> = []
  for (let from = 0; from < rows.length; from += foldedAtOnce) {
    if (from > 0) yield* ask("SELECT 1", [])
    for (const row of rows.slice(from, from + foldedAtOnce)) {
      if (isFoundBy(needle, row[1], row[2])) found.push(row)
    }
  }
  return found
}

/** The lengths of what is read of a walk are longer than would do, if those that match lay evenly. */
const lookAhead = 1.3

/**
 * The page of a search that lets many through: the order is walked, and each lead's texts are looked at. About one in
 * `rarity` of those that it reads matches.
 */
function* lookThrough(
  { page, sort }: Query,
  needle: string,
  rarity: number,
  textsSql: (part: { readonly from: number; readonly length: number }) => Sql
): Asking<ReadonlyArray<LeadId>> {
  const { isReversed } = orderingOf(sort)
  const wanted = Page.offset(page) + page.pageSize
  const matched: Array<Ties.Keyed> = []
  // Longer and longer: it begins anew each time.
  let length = Math.ceil(lookAhead * rarity * wanted) + page.pageSize
  for (let from = 0; ; from += length, length *= 2) {
    length = Math.min(length, LeadListing.maxScanned)
    const { params, text } = textsSql({ from, length })
    const rows = yield* askTuples<Texts>(text, params)
    for (const [id, , , key] of yield* foundIn(rows, needle)) matched.push({ id, key })
    // Where the walk runs against its index, the leads of the last key must all be there to be turned around.
    const isEnough =
      matched.length >= wanted && (!isReversed || rows.at(-1)?.[3] !== matched[wanted - 1]!.key)
    if (isEnough || rows.length < length) break
  }
  const inOrder = isReversed ? Ties.turned(matched) : matched
  return inOrder.slice(Page.offset(page), wanted).map(({ id }) => id)
}

/** All leads that the search finds, in order, by a filtered scan. */
function* scanAll(
  selection: Selection,
  { sort }: Query,
  needle: string,
  scan: LeadListing.FilteredScan
): Asking<ReadonlyArray<LeadId>> {
  const ids: Array<LeadId> = []
  const length = LeadListing.maxScanned
  for (let from = 0; ; from += length) {
    const { params, text } = LeadListing.filteredScanSql(selection, sort, scan, { from, length })
    const rows = yield* askTuples<Texts>(text, params)
    for (const [id] of yield* foundIn(rows, needle)) ids.push(id)
    if (rows.length < length) return ids
  }
}

/** The page as it is planned. */
function* askPlanned(
  selection: Selection,
  query: Query,
  plan: LeadListing.PagePlan
): Asking<ReadonlyArray<LeadId>> {
  const { search } = query.filter
  if (!plan.looksAtTexts || search === undefined) return yield* LeadListing.askPage(selection, query, plan)
  return yield* lookThrough(query, search, plan.rarity, (part) =>
    LeadListing.textsSql(selection, query.sort, plan, part)
  )
}

/** A list that is gathered for a page is remembered whole if it has at most so many leads. */
const greatestRemembered = 1000

/** A page for which fewer leads or entries are looked at is as soon found again. */
const leastRemembered = 200

/** Null: it takes more effort than it may. */
function* findPage(
  brandId: string,
  query: Query,
  { greatestEffort, positions }: ListingOptions,
  memory: Memory
): Asking<FoundPage | null> {
  const { lists, pages, signals, stretches, totals } = memory
  const selection = select(idOf(brandId), query.filter)
  const none = { total: 0, ids: [], windows: null }
  if (selection.isEmpty) return none
  const key = keyOf(selection)
  const { search } = query.filter
  const needle = search ?? null
  const counts = yield* knownCounts(selection, key, greatestEffort, memory)
  if (counts === null) return null
  const [offset, limit] = [Page.offset(query.page), query.page.pageSize]
  const ordered = `${key} ${query.sort.field} ${query.sort.direction}`
  function* partOf(all: ReadonlyArray<LeadId>): Asking<FoundPage> {
    const ids = all.slice(offset, offset + limit)
    return { total: all.length, ids, windows: yield* windowsFor(query, ids, signals) }
  }
  const remembered = lists.get(ordered)
  if (remembered !== undefined) return yield* partOf(remembered)
  const scan = LeadListing.planFilteredScan(selection, counts)
  if (scan !== null && search !== undefined) {
    if (scan.effort > greatestEffort) return null
    const all = yield* scanAll(selection, query, search, scan)
    lists.set(ordered, all)
    return yield* partOf(all)
  }
  let total = FilterCounts.knownTotal(selection, counts) ?? totals.get(key) ?? null
  if (total === null) {
    if (FilterCounts.totalEffort(selection, counts) > greatestEffort) return null
    const totalSql = FilterCounts.totalSql(selection, counts)
    const [counted] = yield* ask<{ n: number; state: number }>(ofState(totalSql.text), totalSql.params)
    total = counted!.n
    totals.set(key, { ...counted!, counts: (lead) => matches(selection, needle, lead) })
  }
  if (offset >= total) return { ...none, total }
  const paged = `${ordered} ${offset} ${limit}`
  const known = pages.get(paged)
  if (known !== undefined) return { total, ids: known, windows: yield* windowsFor(query, known, signals) }
  const plan = LeadListing.planPage(selection, query, counts, total)
  const isPlaced =
    isCounted(selection) && positions.findingEffort + (limit * counts.all) / total < plan.effort
  if (!isPlaced && plan.effort > greatestEffort) return null
  if (plan.way === "gather" && total <= greatestRemembered) {
    // All of them are gathered and sorted for any page.
    const page = { page: 1, pageSize: total }
    const all = yield* LeadListing.askPage(selection, { ...query, page }, plan)
    lists.set(ordered, all)
    return yield* partOf(all)
  }
  const ids = isPlaced
    ? yield* Positions.askPage(selection, orderingOf(query.sort), { limit, offset, total }, stretches)
    : yield* askPlanned(selection, query, plan)
  if (!isPlaced && plan.effort > leastRemembered) pages.set(paged, ids)
  return { total, ids, windows: yield* windowsFor(query, ids, signals) }
}

/** Makes what is answered of the page that was found. */
type Shows<A> = (found: FoundPage) => Asking<A>

function* asLeads(found: FoundPage): Asking<LeadPage> {
  const leads = yield* askLeads(found.ids)
  return {
    total: found.total,
    leads: leads.map((lead) => ({ lead, window: found.windows?.get(lead.id) ?? null }))
  }
}

const asShown = ({ engagements }: Query): Shows<ShownPage> =>
  function* (found) {
    const leads = yield* askShown(found.ids)
    return {
      total: found.total,
      leads: leads.map((shown, i) =>
        ShownLeads.listed(shown, found.windows?.get(found.ids[i]!) ?? null, engagements)
      )
    }
  }

function* found<A>(asking: Asking<FoundPage | null>, shows: Shows<A>): Asking<A | null> {
  const page = yield* asking
  return page === null ? null : yield* shows(page)
}

/** Of pages that were shown so many characters are kept; whoever encodes them keeps as many bytes or some more. */
const greatestShown = 8_388_608

const sizeOfPage = ({ leads }: ShownPage): number => leads.reduce((size, lead) => size + lead.length, 0)

const questionKey = (brandId: string, { engagements, filter, page, sort }: Query): string =>
  JSON.stringify([brandId, engagements, sort, page, filter])

export interface ListReading {
  readonly list: (brandId: string, query: Query) => Effect.Effect<LeadPage, StoreUnavailable>
  /** What was shown is shown again while nothing is written. */
  readonly listShown: (brandId: string, query: Query) => Effect.Effect<ShownPage, StoreUnavailable>
  /** Keeps nothing of what was shown. */
  readonly forgetShown: () => void
}

/** How lists are read: at once where that is soon done, else in the thread that reads what takes long. */
export const listReading = (
  { aside, read }: typeof Database.Service,
  changes: LeadChanges,
  options: ListingOptions
): ListReading => {
  const totals = new Totals(changes, 2000)
  let newest = { version: -1, state: -1 }
  const kept = {
    counts: new Remembered<FilterCounts.Counts>(2000),
    stretches: new Remembered<Positions.Stretches>(50),
    lists: new Remembered<ReadonlyArray<LeadId>>(50),
    pages: new Remembered<ReadonlyArray<LeadId>>(500)
  }
  const shown = new Remembered<ShownPage>(greatestShown, sizeOfPage)
  const unhurried = { ...options, greatestEffort: Number.POSITIVE_INFINITY }
  const readPage = <A>(brandId: string, query: Query, shows: Shows<A>): Effect.Effect<A, StoreUnavailable> =>
    Effect.flatMap(
      read((sql) => {
        const version = sql.dataVersion
        for (const each of Object.values(kept)) each.forgetUnless(version)
        if (newest.version !== version) newest = { version, state: sql.get<{ n: number }>(newestSql)!.n }
        const memory = { ...kept, totals: totals.at(newest.state), signals: knownTo(sql) }
        return answer(sql, found(findPage(brandId, query, options, memory), shows))
      }),
      (page) =>
        page === null
          ? Effect.suspend(() => {
              // Counted from now on: if something is written meanwhile, the version they are kept by is gone.
              const counted = {
                signals: new Map(),
                counts: kept.counts.ofNow(),
                totals: totals.ofLate(),
                stretches: kept.stretches.ofNow(),
                lists: kept.lists.ofNow(),
                pages: kept.pages.ofNow()
              }
              // With no limit, nothing is too much.
              const work = () => found(findPage(brandId, query, unhurried, counted), shows)
              return aside.read(brandId, work) as Effect.Effect<A, StoreUnavailable>
            })
          : Effect.succeed(page)
    )
  return {
    list: (brandId, query) => readPage(brandId, query, asLeads),
    listShown: (brandId, query) =>
      Effect.suspend(() => {
        const key = questionKey(brandId, query)
        return Effect.flatMap(
          read((sql) => {
            shown.forgetUnless(sql.dataVersion)
            return shown.get(key)
          }),
          (known) => {
            if (known !== undefined) return Effect.succeed(known)
            const keep = shown.ofNow()
            return Effect.map(readPage(brandId, query, asShown(query)), (page) => {
              keep.set(key, page)
              return page
            })
          }
        )
      }),
    forgetShown: () => shown.forget()
  }
}
