/**
 * A list's filter in terms of tables and indexes, and its conditions as SQL: the driver is the condition whose index the query
 * reads. The query tests the others, written so that the planner can use no index for them and expects nearly all leads to pass.
 */
import type { FilterCondition, LeadFilter } from "@lead-signals/domain"
import { filterConditions } from "@lead-signals/domain/pure"
import { allFlags, endOfTime, flagsOfFilter, idOf, rangeOf, type TimeRange } from "@lead-signals/sql-rows"
import { gramsOfNeedle } from "./Grams.ts"
import { join, raw, type Sql, sql } from "./Sql.ts"

/** A folded text that leads are searched for, and hashes of its parts. */
export interface Match {
  readonly needle: string
  readonly grams: ReadonlyArray<number>
}

/** The conditions of a filter on a lead, each null where there is none. */
interface Conditions extends Readonly<Record<FilterCondition, unknown>> {
  readonly signalId: number | null
  /** A bit for each value of the flags column that matches; null when all do. */
  readonly flags: number | null
  readonly created: TimeRange | null
  readonly updated: TimeRange | null
  readonly match: Match | null
}

/** A filter in terms of tables and indexes. */
export interface Selection extends Conditions {
  readonly brandId: number
  /** The ranges in which the instants of all matching leads lie, given or not; null where that is any time. */
  readonly bounds: { readonly created: TimeRange | null; readonly updated: TimeRange | null }
  /** Whether the filter alone excludes every lead. */
  readonly isEmpty: boolean
}

/** A bit for each value of the flags column that passes the filter; null where it tests no flag. */
const maskOf = (filter: LeadFilter): number | null =>
  flagsOfFilter(filter)?.reduce((mask, flags) => mask | (1 << flags), 0) ?? null

/** The values of the flags column that the mask has. */
export const flagsIn = (mask: number): ReadonlyArray<number> =>
  allFlags.filter((flags) => (mask & (1 << flags)) !== 0)

/** A lead is never updated before it was created: each range bounds the other field, too. */
const boundsOf = (created: TimeRange | null, updated: TimeRange | null): Selection["bounds"] => ({
  created:
    created === null && (updated === null || updated.to === endOfTime)
      ? null
      : {
          field: "created",
          from: created?.from ?? 0,
          to: Math.min(created?.to ?? endOfTime, updated?.to ?? endOfTime)
        },
  updated:
    updated === null && (created === null || created.from === 0)
      ? null
      : {
          field: "updated",
          from: Math.max(created?.from ?? 0, updated?.from ?? 0),
          to: updated?.to ?? endOfTime
        }
})

/**
 * A filter of the brand with this number in terms of tables and indexes. Number 0, a text that no lead can have, and ranges that leave no
 * instant make it empty.
 */
export const select = (brandId: number, filter: LeadFilter): Selection => {
  const bounds = boundsOf(
    rangeOf("created", filter.createdAfter, filter.createdBefore),
    rangeOf("updated", filter.updatedAfter, filter.updatedBefore)
  )
  const isGiven = (after: number | undefined, before: number | undefined): boolean =>
    after !== undefined || before !== undefined
  const created = isGiven(filter.createdAfter, filter.createdBefore) ? bounds.created : null
  const updated = isGiven(filter.updatedAfter, filter.updatedBefore) ? bounds.updated : null
  const needle = filter.search
  const grams = needle === undefined ? null : gramsOfNeedle(brandId, needle)
  return {
    brandId,
    signalId: filter.signalId === undefined ? null : idOf(filter.signalId),
    flags: maskOf(filter),
    created,
    updated,
    match: needle === undefined || grams === null ? null : { needle, grams },
    bounds,
    isEmpty:
      brandId === 0 ||
      (needle !== undefined && grams === null) ||
      [bounds.created, bounds.updated].some((range) => range !== null && range.from > range.to)
  }
}

/** Whether no other condition than these restricts the list. */
export const hasOnly = (selection: Selection, ...allowed: ReadonlyArray<FilterCondition>): boolean =>
  filterConditions.every((name) => selection[name] === null || allowed.includes(name))

/** The condition whose index a query reads. */
export type Driver = "order" | "flags" | "created" | "updated" | "signal" | "search"

const columnsOf: {
  readonly [D in Driver]: { readonly id: Sql; readonly flags: Sql; readonly created: Sql }
} = {
  ...(() => {
    const ofLead = { id: raw("l.id"), flags: raw("l.flags"), created: raw("l.created_at") }
    return { order: ofLead, flags: ofLead, created: ofLead, updated: ofLead }
  })(),
  signal: { id: raw("g.lead_id"), flags: raw("g.flags"), created: raw("g.created_at") },
  search: { id: raw("t.lead_id"), flags: raw("l.flags"), created: raw("l.created_at") }
}

/** The id of a lead that a query over the driver finds. */
export const idColumnOf = (driver: Driver): Sql => columnsOf[driver].id

/** The column of an order's key in a query over the driver. */
export const keyColumnOf = (driver: Driver, column: string): Sql =>
  column === "created_at" ? columnsOf[driver].created : raw(`l.${column}`)

/** Whether a query over the driver reads the leads' own rows, to test the selection or for an order's key. */
const readsLeads = (selection: Selection, driver: Driver, column: string | null): boolean => {
  switch (driver) {
    case "signal":
      return (
        !hasOnly(selection, "signalId", "flags", "created", "match") ||
        (column !== null && column !== "created_at")
      )
    case "search":
      return column !== null || !hasOnly(selection, "match", "signalId")
    default:
      return true
  }
}

/** One lookup for each row, whatever the planner thinks of the tables' sizes. */
const lead = (brandId: number, id: string): Sql =>
  sql` CROSS JOIN LATERAL (SELECT * FROM lead_signals.lead l WHERE l.brand_id = ${brandId} AND l.id = ${raw(id)} OFFSET 0) l`

const nothing = raw("")

/** The leads' own rows beside those of the driver, where the selection tests them. */
export const joinedLeads = (selection: Selection, driver: "signal" | "search"): Sql =>
  readsLeads(selection, driver, null)
    ? lead(selection.brandId, driver === "signal" ? "g.lead_id" : "t.lead_id")
    : nothing

/** The tables that a query over the driver reads; `column` is the column of the order's key, if it needs one. */
export const sourceOf = (selection: Selection, driver: Driver, column: string | null): Sql => {
  const joined = (id: string): Sql =>
    readsLeads(selection, driver, column) ? lead(selection.brandId, id) : nothing
  switch (driver) {
    case "signal":
      return sql`lead_signals.lead_signal g${joined("g.lead_id")}`
    case "search":
      return sql`lead_signals.lead_text t${joined("t.lead_id")}`
    default:
      return raw("lead_signals.lead l")
  }
}

const always = raw("true")

const contains = (needle: string): Sql =>
  sql`(strpos(t.name_key, ${needle}) > 0 OR coalesce(strpos(t.headline_key, ${needle}), 0) > 0)`

/** A condition that no index answers, and that the planner takes for nearly always true. */
const tested = (condition: Sql): Sql => sql`(CASE WHEN ${condition} THEN 1 END) IS NOT NULL`

/** The leads' flags, one of which the mask has. */
export const hasFlags = (mask: number | null, column = "l.flags"): Sql =>
  mask === null ? always : sql`((1 << ${raw(column)}) & ${mask}::integer) <> 0`

/** What the driver's index answers. */
export const driven = (
  { brandId, created, flags, match, signalId, updated }: Selection,
  driver: Driver
): Sql => {
  switch (driver) {
    case "order":
      return sql`l.brand_id = ${brandId}`
    case "flags":
      return sql`l.brand_id = ${brandId} AND l.flags = ANY (${flagsIn(flags!)}::smallint[])`
    case "created":
      return sql`l.brand_id = ${brandId} AND l.created_at BETWEEN ${created!.from} AND ${created!.to}`
    case "updated":
      return sql`l.brand_id = ${brandId} AND l.updated_at BETWEEN ${updated!.from} AND ${updated!.to}`
    case "signal":
      return sql`g.brand_id = ${brandId} AND g.signal_id = ${signalId!}${
        created === null ? nothing : sql` AND g.created_at BETWEEN ${created.from} AND ${created.to}`
      }`
    case "search":
      // The sum keeps the planner from reading all texts of the brand instead.
      return sql`t.grams @> ${match!.grams}::integer[] AND t.brand_id + 0 = ${brandId} AND ${contains(match!.needle)}`
  }
}

/**
 * A number where the signal has caught the lead, null otherwise. The index of each order has the list of the lead's signals, unless it is too
 * long; a search does not read leads.
 */
const caughtBy = (brandId: number, signalId: number, driver: Driver): Sql => {
  const looked = sql`(SELECT 1 FROM lead_signals.lead_signal g
    WHERE g.brand_id = ${brandId} AND g.lead_id = ${columnsOf[driver].id} AND g.signal_id = ${signalId})`
  return driver === "search"
    ? looked
    : sql`(CASE l.signal_ids WHEN '[]' THEN ${looked} ELSE nullif(strpos(l.signal_ids, ${`"${signalId}"`}), 0) END)`
}

/** The conditions of the selection that the driver's index does not answer. */
export const tests = (
  { brandId, created, flags, match, signalId, updated }: Selection,
  driver: Driver
): Sql => {
  const columns = columnsOf[driver]
  const each: Readonly<Record<FilterCondition, Sql | null>> = {
    flags:
      flags === null || driver === "flags" ? null : sql`((1 << ${columns.flags}) & ${flags}::integer) <> 0`,
    created:
      created === null || driver === "created" || driver === "signal"
        ? null
        : tested(sql`${columns.created} BETWEEN ${created.from} AND ${created.to}`),
    updated:
      updated === null || driver === "updated"
        ? null
        : tested(sql`l.updated_at BETWEEN ${updated.from} AND ${updated.to}`),
    signalId:
      signalId === null || driver === "signal"
        ? null
        : sql`${caughtBy(brandId, signalId, driver)} IS NOT NULL`,
    match:
      match === null || driver === "search"
        ? null
        : sql`(SELECT 1 FROM lead_signals.lead_text t WHERE t.brand_id = ${brandId} AND t.lead_id = ${columns.id} AND ${contains(match.needle)}) IS NOT NULL`
  }
  const parts = Object.values(each).filter((part) => part !== null)
  return parts.length === 0 ? always : join(parts, " AND ")
}

/** All conditions of a selection, written for the tables of the driver. */
export const conditions = (selection: Selection, driver: Driver): Sql =>
  sql`${driven(selection, driver)} AND ${tests(selection, driver)}`
