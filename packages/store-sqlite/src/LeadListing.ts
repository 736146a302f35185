/**
 * How a list is answered from the indexes: as SQL text and its arguments, with no connection in sight, so that a test can
 * read the plan of every shape.
 *
 * A list is found in one of two ways. It *walks* the index of its order and tests each lead until the page is full, or it
 * *gathers* what the most selective filter lets through, and sorts that. The counters say beforehand how many leads each
 * filter lets through, so the cheaper way is known. Totals come from the counters, and where these can't say, from the
 * most selective index.
 */
import { type LeadFilter, type LeadId, type LeadQuery, Page, type SortOrder } from "@lead-signals/domain"
import { askColumn, type Asking } from "./Asking.ts"
import { idOf } from "./Rows.ts"
import { type Match, matchOf } from "./SearchIndex.ts"
import * as Ties from "./Ties.ts"

export interface Sql {
  readonly text: string
  readonly params: ReadonlyArray<string | number>
}

const millisPerDay = 86_400_000
const endOfTime = 8_640_000_000_000_000

interface Range {
  readonly field: "created" | "updated"
  readonly from: number
  readonly to: number
}

/** A filter, in the store's terms. */
export interface Selection {
  readonly brandId: number
  readonly signalId: number | null
  /** The values of the flags column that are let through; null when all are. */
  readonly flags: ReadonlyArray<number> | null
  readonly created: Range | null
  readonly updated: Range | null
  /** What follows for the other field: a lead is never updated before it was created. */
  readonly implied: Range | null
  readonly match: Match | null
  /** Whether it is plain from the filter alone that nothing is let through. */
  readonly isEmpty: boolean
}

const rangeOf = (
  field: Range["field"],
  after: number | undefined,
  before: number | undefined
): Range | null =>
  after === undefined && before === undefined
    ? null
    : { field, from: Math.max(after ?? 0, 0), to: Math.min(before ?? endOfTime, endOfTime) }

const flagsOf = ({ exported, isEmployee, qualified }: LeadFilter): ReadonlyArray<number> | null => {
  const wanted = [qualified, exported, isEmployee]
  return wanted.every((flag) => flag === undefined)
    ? null
    : [0, 1, 2, 3, 4, 5, 6, 7].filter((bits) =>
        wanted.every((flag, i) => flag === undefined || flag === ((bits & (1 << i)) !== 0))
      )
}

const impliedBy = (created: Range | null, updated: Range | null): Range | null => {
  if (created !== null && updated === null && created.from > 0)
    return { field: "updated", from: created.from, to: endOfTime }
  if (updated !== null && created === null && updated.to < endOfTime)
    return { field: "created", from: 0, to: updated.to }
  return null
}

export const select = (brandId: number, filter: LeadFilter): Selection => {
  const created = rangeOf("created", filter.createdAfter, filter.createdBefore)
  const updated = rangeOf("updated", filter.updatedAfter, filter.updatedBefore)
  const match = filter.search === undefined ? null : matchOf(brandId, filter.search)
  return {
    brandId,
    signalId: filter.signalId === undefined ? null : idOf(filter.signalId),
    flags: flagsOf(filter),
    created,
    updated,
    implied: impliedBy(created, updated),
    match,
    isEmpty:
      (filter.search !== undefined && match === null) ||
      [created, updated].some((range) => range !== null && range.from > range.to)
  }
}

/** Where a query starts from: the condition that an index answers. */
export type Driver = "order" | "flags" | "created" | "updated" | "signal" | "search"

export const flagsIn = (flags: ReadonlyArray<number>, column: string): string =>
  `${column} IN (${flags.join(", ")})`

const sources: { readonly [D in Driver]: (match: Match | null) => string } = {
  order: () => "lead l",
  flags: () => "lead l INDEXED BY lead_by_flags",
  created: () => "lead l INDEXED BY lead_by_created",
  updated: () => "lead l INDEXED BY lead_by_updated",
  signal: () => "lead_signal g CROSS JOIN lead l ON l.id = g.lead_id",
  search: (match) =>
    `${match!.table} CROSS JOIN lead l ON l.id = ${match!.table}.rowid - ${match!.entries?.base ?? 0}`
}

/** Where the columns of a lead are read that a signal has of its own. */
const columnsOf = (driver: Driver) =>
  driver === "signal"
    ? { id: "g.lead_id", flags: "g.flags", created: "g.created_at" }
    : { id: "l.id", flags: "l.flags", created: "l.created_at" }

/** Where is read what a selection asks of leads: of a signal often by what it has itself. */
const sourceOf = ({ match, updated }: Selection, driver: Driver): string =>
  driver === "signal" && updated === null ? "lead_signal g" : sources[driver](match)

/** The entries that a search finds. */
const found = ({ entries, phrase, table }: Match): Sql => ({
  text: `${table} MATCH ?${entries === null ? "" : ` AND ${table}.rowid BETWEEN ${entries.base} AND ${entries.end}`}`,
  params: [phrase]
})

/** That a search finds the lead: all entries are read for it, once. */
const isFound = (match: Match, id: string): Sql => {
  const { params, text } = found(match)
  return {
    text: `${id} IN (SELECT ${match.table}.rowid - ${match.entries?.base ?? 0} FROM ${match.table} WHERE ${text})`,
    params
  }
}

/** Everything that a lead must fulfil, each as the driver wants it put. */
const conditions = (selection: Selection, driver: Driver): Sql => {
  const { brandId, created, flags, implied, match, signalId, updated } = selection
  const columns = columnsOf(driver)
  const parts: Array<Sql> = [
    driver === "signal"
      ? {
          text: "g.signal_id = (SELECT id FROM signal WHERE id = ? AND brand_id = ?)",
          params: [signalId!, brandId]
        }
      : { text: "l.brand_id = ?", params: [brandId] }
  ]
  if (signalId !== null && driver !== "signal") {
    parts.push({
      text: "EXISTS (SELECT 1 FROM lead_signal g WHERE g.signal_id = ? AND g.lead_id = l.id)",
      params: [signalId]
    })
  }
  if (match !== null) parts.push(driver === "search" ? found(match) : isFound(match, columns.id))
  if (flags !== null) parts.push({ text: flagsIn(flags, columns.flags), params: [] })
  if (implied !== null && driver === implied.field) {
    parts.push({ text: `l.${implied.field}_at BETWEEN ? AND ?`, params: [implied.from, implied.to] })
  }
  for (const range of [created, updated]) {
    if (range === null) continue
    const read = range.field === "created" ? columns.created : "l.updated_at"
    // A unary plus keeps a column from being taken for the index that drives another way.
    const isDriven = driver === range.field || driver === "order" || read === "g.created_at"
    const column = isDriven ? read : `+${read}`
    parts.push({ text: `${column} BETWEEN ? AND ?`, params: [range.from, range.to] })
  }
  return { text: parts.map(({ text }) => text).join(" AND "), params: parts.flatMap(({ params }) => params) }
}

/** How many leads each filter lets through on its own. */
export interface Counts {
  readonly all: number
  readonly drivers: ReadonlyArray<readonly [driver: Driver, count: number]>
}

const dayOf = (instant: number): number => Math.floor(instant / millisPerDay)

/** A column each: all leads of the brand, and those that each filter lets through, by the counters. */
export const countsSql = (
  selection: Selection,
  greatestSearched = Number.POSITIVE_INFINITY
): { readonly sql: Sql; readonly drivers: ReadonlyArray<Driver> } => {
  const { brandId, created, flags, implied, match, signalId, updated } = selection
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
  if (match !== null) {
    const { params, text } = found(match)
    const counted =
      greatestSearched === Number.POSITIVE_INFINITY
        ? `${match.table} WHERE ${text}`
        : `(SELECT 1 FROM ${match.table} WHERE ${text} LIMIT ${greatestSearched})`
    columns.push(["search", { text: `(SELECT count(*) FROM ${counted})`, params }])
  }
  return {
    drivers: columns.map(([driver]) => driver),
    sql: {
      text: `SELECT ${columns.map(([, { text }], i) => `${text} AS c${i}`).join(", ")}`,
      params: columns.flatMap(([, { params }]) => params)
    }
  }
}

const mostSelective = ({ all, drivers }: Counts): readonly [Driver, number] =>
  drivers.reduce<readonly [Driver, number]>(
    (best, next) => (next[1] <= best[1] ? next : best),
    ["order", all]
  )

/** How many leads match, where the counts of the filters say it. */
export const knownTotal = (selection: Selection, { drivers }: Counts): number | null => {
  const { created, flags, match, signalId, updated } = selection
  const filters = [created, flags, match, signalId, updated].filter((filter) => filter !== null).length
  const isExact = created === null && updated === null
  return filters <= 1 && isExact ? drivers.at(-1)![1] : null
}

/** A range counted by whole days from the counters, and its two ends from the index. */
const countOfRange = ({ brandId, flags }: Selection, { field, from, to }: Range): Sql => {
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

/** How many leads or entries are looked at to count those that match, about. */
export const totalEffort = (selection: Selection, counts: Counts): number => {
  const { created, match, signalId, updated } = selection
  const isOfDays = match === null && signalId === null && (created === null || updated === null)
  return isOfDays || knownTotal(selection, counts) !== null ? 0 : mostSelective(counts)[1]
}

/** How many leads match. */
export const totalSql = (selection: Selection, counts: Counts): Sql => {
  const { brandId, created, flags, match, signalId, updated } = selection
  if (match === null && created === null && updated === null) {
    const restriction = flags === null ? "" : ` AND ${flagsIn(flags, "flags")}`
    return {
      text: `SELECT coalesce(sum(n), 0) AS n FROM lead_count WHERE brand_id = ? AND signal_id = ?${restriction}`,
      params: [brandId, signalId ?? 0]
    }
  }
  if (match === null && signalId === null && (created === null || updated === null)) {
    return countOfRange(selection, (created ?? updated)!)
  }
  const [driver] = mostSelective(counts)
  const { params, text } = conditions(selection, driver)
  return { text: `SELECT count(*) AS n FROM ${sourceOf(selection, driver)} WHERE ${text}`, params }
}

/** An order of leads, and how it is read: along its index or against it. */
export interface Ordering {
  readonly name: "created" | "updated" | "name" | "score" | "scoreDesc"
  readonly index: string
  readonly column: string
  readonly isReversed: boolean
  /** The range that restricts the walk itself, when the order's own field is filtered. */
  readonly range: Range["field"] | null
}

const along = { isReversed: false, range: null }

/** By name; those whose index is read one way only are two. A missing score ranks last both ways. [SORT-3] */
export const orderings: { readonly [N in Ordering["name"]]: Ordering } = {
  created: { ...along, name: "created", index: "lead_by_created", column: "l.created_at", range: "created" },
  updated: { ...along, name: "updated", index: "lead_by_updated", column: "l.updated_at", range: "updated" },
  name: { ...along, name: "name", index: "lead_by_name", column: "l.name_key" },
  score: { ...along, name: "score", index: "lead_by_score", column: "l.score_rank" },
  scoreDesc: { ...along, name: "scoreDesc", index: "lead_by_score_desc", column: "l.score_rank_desc" }
}

export const orderingOf = ({ direction, field }: SortOrder.SortOrder): Ordering => {
  const isReversed = direction === "desc"
  switch (field) {
    case "createdAt":
      return { ...orderings.created, isReversed }
    case "updatedAt":
      return { ...orderings.updated, isReversed }
    case "name":
      return { ...orderings.name, isReversed }
    case "score1":
      return isReversed ? orderings.scoreDesc : orderings.score
  }
}

/** The index of the order, or what the signal has itself; for what is gathered, what its driver has. */
const roadOf = (
  selection: Selection,
  { column, index, name }: Ordering,
  { driver, way }: Pick<PagePlan, "driver" | "way">
): Ties.Road => {
  const { created, id } = columnsOf(driver)
  if (name === "created") {
    const source =
      way === "walk" && driver !== "signal" ? `lead l INDEXED BY ${index}` : sourceOf(selection, driver)
    return { source, id, key: created }
  }
  const source = way === "walk" ? `lead l INDEXED BY ${index}` : sources[driver](selection.match)
  return { source, id, key: column }
}

/** Ties by id, ascending, whatever the direction. [SORT-5] */
const by = ({ id, key }: Pick<Ties.Road, "id" | "key">, { isReversed }: Ordering): string =>
  `${key}${isReversed ? " DESC" : ""}, ${id}`

/** Whether nothing but flags restricts the list: then it is known where in its order a page begins. */
export const isCounted = ({ created, match, signalId, updated }: Selection): boolean =>
  created === null && match === null && signalId === null && updated === null

/** Sorting a gathered lead costs about as much as testing so many in a walk. */
const sortWeight = 3

/** Looking at the texts of one lead costs about as much as reading so many entries of their index. */
const textWeight = 5

export interface PagePlan {
  /**
   * It walks in the order, sorts what the driver lets through, or merges the beginnings of what each combination of flags lets
   * through.
   */
  readonly way: "walk" | "gather" | "merge"
  readonly driver: Driver
  /** Whether the texts of each lead of a walk are looked at, instead of the index of texts. */
  readonly looksAtTexts: boolean
  /** One of how many whose texts are looked at matches, about. */
  readonly rarity: number
  /** How many leads or entries are looked at, about. */
  readonly effort: number
}

/** `total` is how many match. */
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
  // Of those that are walked past, what the other filters let through.
  const others = Math.min(walkable, ...counts.drivers.flatMap(([each, n]) => (each === "search" ? [] : [n])))
  const read = (walked * others) / Math.max(walkable, 1)
  const looksAtTexts = walks && searched !== undefined && walked + read * textWeight < searched
  return {
    way: walks ? "walk" : "gather",
    driver: walks ? walker : best,
    looksAtTexts,
    rarity: others / Math.max(total, 1),
    effort: walks ? walked + (looksAtTexts ? read * textWeight : (searched ?? 0)) : gathered * sortWeight
  }
}

/** Of each combination of flags as many as the page can want; of those the page. */
const mergedSql = (
  { brandId, flags }: Selection,
  ordering: Ordering,
  { limit, offset }: { readonly limit: number; readonly offset: number }
): Sql => {
  const inOrder = by({ id: "l.id", key: ordering.column }, ordering)
  const beginning = `SELECT * FROM (SELECT l.id, ${ordering.column} AS key FROM ${sources.flags(null)}
     WHERE l.brand_id = ? AND l.flags = ? ORDER BY ${inOrder} LIMIT ?)`
  return {
    text: `SELECT id FROM (${flags!.map(() => beginning).join(" UNION ALL ")})
      ORDER BY key${ordering.isReversed ? " DESC" : ""}, id LIMIT ? OFFSET ?`,
    params: [...flags!.flatMap((each) => [brandId, each, offset + limit]), limit, offset]
  }
}

/** The ids of one page, in order. */
export function* askPage(
  selection: Selection,
  query: Pick<LeadQuery, "sort" | "page">,
  { driver, way }: Pick<PagePlan, "driver" | "way">
): Asking<ReadonlyArray<LeadId>> {
  const ordering = orderingOf(query.sort)
  const [offset, limit] = [Page.offset(query.page), query.page.pageSize]
  if (way === "merge") {
    const { params, text } = mergedSql(selection, ordering, { offset, limit })
    return yield* askColumn<LeadId>(text, params)
  }
  const wanted = conditions(selection, driver)
  const road = roadOf(selection, ordering, { driver, way })
  if (way === "walk" && ordering.isReversed) {
    const { from, length } = Ties.rangeOf({ offset, limit })
    const { id, key, source } = road
    const rows = yield* Ties.askKeyed(
      `SELECT ${id}, ${key} FROM ${source} WHERE ${wanted.text} ORDER BY ${key} DESC, ${id} DESC LIMIT ? OFFSET ?`,
      [...wanted.params, length, from]
    )
    const tiedSql = (tied: Ties.Tied) => Ties.tiedSql(road, wanted, tied)
    return yield* Ties.inOrder(Ties.pageOf(rows, { offset, limit }), tiedSql)
  }
  return yield* askColumn<LeadId>(
    `SELECT ${road.id} FROM ${road.source} WHERE ${wanted.text} ORDER BY ${by(road, ordering)} LIMIT ? OFFSET ?`,
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
  const { id, key } = roadOf(selection, ordering, { driver, way: "walk" })
  const source = driver === "signal" ? sources.signal(null) : `lead l INDEXED BY ${ordering.index}`
  const against = ordering.isReversed ? " DESC" : ""
  return {
    text: `SELECT ${id}, l.name, l.headline, ${key} FROM ${source}
      WHERE ${text} ORDER BY ${key}${against}, ${id}${against} LIMIT ? OFFSET ?`,
    params: [...params, length, from]
  }
}

/** More leads than this are not gathered to look at their texts. */
const greatestSifted = 20_000

/**
 * Where another filter lets few leads through and a search many: all that the other lets through, in order and with their
 * texts; what is searched for is for the caller to see. `effort` as of a page. Null where that is not the way.
 */
export const siftSql = (
  selection: Selection,
  sort: SortOrder.SortOrder,
  counts: Counts
): { readonly sql: Sql; readonly effort: number } | null => {
  const [driver, gathered] = mostSelective(counts)
  const searched = counts.drivers.find(([each]) => each === "search")?.[1] ?? 0
  const isWorthIt = driver !== "order" && driver !== "search" && gathered * textWeight < searched
  if (!isWorthIt || gathered > greatestSifted) return null
  const { params, text } = conditions({ ...selection, match: null }, driver)
  const ordering = orderingOf(sort)
  const { id, key } = roadOf(selection, ordering, { driver, way: "gather" })
  return {
    sql: {
      text: `SELECT ${id}, l.name, l.headline, ${key} FROM ${sources[driver](null)}
        WHERE ${text} ORDER BY ${by({ id, key }, ordering)}`,
      params
    },
    effort: gathered * textWeight
  }
}

/** By what a total is remembered. */
export const keyOf = ({ brandId, created, flags, match, signalId, updated }: Selection): string =>
  JSON.stringify([brandId, signalId, flags, created, updated, match])
