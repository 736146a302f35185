/**
 * A list's filter in terms of tables and indexes, and its conditions as SQL: the driver is the condition whose index the query
 * reads; the query tests the others.
 */
import type { FilterCondition, LeadFilter, LeadId } from "@lead-signals/domain"
import { filterConditions } from "@lead-signals/domain/pure"
import { endOfTime, flagsOfFilter, idOf, rangeOf, type TimeRange } from "@lead-signals/sql-rows"
import { type Match, matchOf, phraseOf } from "../search/SearchIndex.ts"

/** SQL with a question mark for each parameter, in order. */
export interface Sql {
  readonly text: string
  readonly params: ReadonlyArray<string | number>
}

/** The conditions of a filter on a lead, each null where there is none. */
interface Conditions extends Readonly<Record<FilterCondition, unknown>> {
  readonly signalId: number | null
  /** The values of the flags column that match; null when all do. */
  readonly flags: ReadonlyArray<number> | null
  readonly created: TimeRange | null
  readonly updated: TimeRange | null
  readonly match: Match | null
}

/** A filter in terms of tables and indexes. */
export interface Selection extends Conditions {
  readonly brandId: number
  /** The range that follows for the other field: a lead is never updated before it was created. */
  readonly implied: TimeRange | null
  /** The leads that the match finds and the index does not hold yet. */
  readonly unindexed: ReadonlyArray<LeadId>
  /** Whether the filter alone excludes every lead. */
  readonly isEmpty: boolean
}

const impliedBy = (created: TimeRange | null, updated: TimeRange | null): TimeRange | null => {
  if (created !== null && updated === null && created.from > 0)
    return { field: "updated", from: created.from, to: endOfTime }
  if (updated !== null && created === null && updated.to < endOfTime)
    return { field: "created", from: 0, to: updated.to }
  return null
}

/**
 * A filter of the brand with this number in terms of tables and indexes. A text that no lead can have and a range that leaves no instant
 * make it empty. The caller adds what the match finds beside the index.
 */
export const select = (brandId: number, filter: LeadFilter): Selection => {
  const created = rangeOf("created", filter.createdAfter, filter.createdBefore)
  const updated = rangeOf("updated", filter.updatedAfter, filter.updatedBefore)
  const match = filter.search === undefined ? null : matchOf(brandId, filter.search)
  return {
    brandId,
    signalId: filter.signalId === undefined ? null : idOf(filter.signalId),
    flags: flagsOfFilter(filter),
    created,
    updated,
    implied: impliedBy(created, updated),
    match,
    unindexed: [],
    isEmpty:
      (filter.search !== undefined && match === null) ||
      [created, updated].some((range) => range !== null && range.from > range.to)
  }
}

const present = (selection: Selection): ReadonlyArray<FilterCondition> =>
  filterConditions.filter((name) => selection[name] !== null)

/** Whether no other condition than these restricts the list. */
const hasOnly = (selection: Selection, ...allowed: ReadonlyArray<FilterCondition>): boolean =>
  present(selection).every((name) => allowed.includes(name))

/** Whether only flags restrict the list: the rank index counts such lists. */
export const isCounted = (selection: Selection): boolean => hasOnly(selection, "flags")

/** Whether the counters of flags, for each signal and for all leads, give the total. */
export const isCountedBySignal = (selection: Selection): boolean => hasOnly(selection, "signalId", "flags")

/** Whether the counters of days give the total, apart from the ends of the range. */
export const isCountedByDay = (selection: Selection): boolean =>
  hasOnly(selection, "flags", "created") || hasOnly(selection, "flags", "updated")

/** Whether its only condition, if it has one, is one whose leads are counted exactly. */
export const isCountedByDriver = (selection: Selection): boolean =>
  present(selection).length <= 1 && hasOnly(selection, "signalId", "flags", "match")

/** The condition whose index a query reads. */
export type Driver = "order" | "flags" | "created" | "updated" | "signal" | "search"

/** The condition that the column has one of the values, of which there is one at least. */
export const flagsIn = (flags: ReadonlyArray<number>, column: string): string =>
  `${column} IN (${flags.join(", ")})`

type Searched = Pick<Selection, "match" | "unindexed">

/** The tables that a query over a driver reads, always with the leads' own rows. The hints keep SQLite to the driver's index. */
export const sources: { readonly [D in Driver]: (searched: Searched) => string } = {
  order: () => "lead l",
  flags: () => "lead l INDEXED BY lead_by_flags",
  created: () => "lead l INDEXED BY lead_by_created",
  updated: () => "lead l INDEXED BY lead_by_updated",
  signal: () => "lead_signal g CROSS JOIN lead l ON l.id = g.lead_id",
  search: ({ match, unindexed }) =>
    // Leads are looked up by the numbers that are found.
    unindexed.length > 0
      ? "lead l NOT INDEXED"
      : `${match!.table} CROSS JOIN lead l ON l.id = ${match!.table}.rowid`
}

/** The table that a query reads columns from that `lead` and `lead_signal` both have. */
export const columnsOf = (driver: Driver) =>
  driver === "signal"
    ? { id: "g.lead_id", flags: "g.flags", created: "g.created_at" }
    : { id: "l.id", flags: "l.flags", created: "l.created_at" }

/** The tables that a query reads; the rows of a signal suffice where the selection needs no other column. */
export const sourceOf = (selection: Selection, driver: Driver): string =>
  driver === "signal" && hasOnly(selection, "signalId", "flags", "created", "match")
    ? "lead_signal g"
    : sources[driver](selection)

/** The entries that a search finds. */
export const found = ({ table, tokens }: Match): Sql => ({
  text: `${table} MATCH ?`,
  params: [phraseOf(tokens)]
})

/** The condition that a search finds the lead; SQLite reads all entries of the search once. */
const isFound = (match: Match, unindexed: Selection["unindexed"], id: string): Sql => {
  const { params, text } = found(match)
  const indexed = `SELECT ${match.table}.rowid FROM ${match.table} WHERE ${text}`
  return unindexed.length === 0
    ? { text: `${id} IN (${indexed})`, params }
    : {
        text: `${id} IN (${indexed} UNION ALL SELECT value FROM json_each(?))`,
        params: [...params, JSON.stringify(unindexed)]
      }
}

/** All conditions of a selection, written for the tables of the driver. */
export const conditions = (selection: Selection, driver: Driver): Sql => {
  const { brandId, created, flags, implied, match, signalId, unindexed, updated } = selection
  const columns = columnsOf(driver)
  const within = (range: TimeRange | null): Sql | null => {
    if (range === null) return null
    const read = range.field === "created" ? columns.created : "l.updated_at"
    // A unary plus keeps a column from being taken for the index that drives another way.
    const isDriven = driver === range.field || driver === "order" || read === "g.created_at"
    const column = isDriven ? read : `+${read}`
    return { text: `${column} BETWEEN ? AND ?`, params: [range.from, range.to] }
  }
  const scope: Sql =
    driver === "signal"
      ? {
          text: "g.signal_id = (SELECT id FROM signal WHERE id = ? AND brand_id = ?)",
          params: [signalId!, brandId]
        }
      : { text: "l.brand_id = ?", params: [brandId] }
  const tests: Readonly<Record<FilterCondition, Sql | null>> = {
    signalId:
      signalId === null || driver === "signal"
        ? null
        : {
            text: "EXISTS (SELECT 1 FROM lead_signal g WHERE g.signal_id = ? AND g.lead_id = l.id)",
            params: [signalId]
          },
    match:
      match === null
        ? null
        : driver === "search" && unindexed.length === 0
          ? found(match)
          : isFound(match, unindexed, columns.id),
    flags: flags === null ? null : { text: flagsIn(flags, columns.flags), params: [] },
    created: within(created),
    updated: within(updated)
  }
  const ofIndex: Sql | null =
    implied !== null && driver === implied.field
      ? { text: `l.${implied.field}_at BETWEEN ? AND ?`, params: [implied.from, implied.to] }
      : null
  const parts = [scope, ofIndex, ...Object.values(tests)].filter((part) => part !== null)
  return { text: parts.map(({ text }) => text).join(" AND "), params: parts.flatMap(({ params }) => params) }
}
