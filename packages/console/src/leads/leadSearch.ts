/** The state of the list of leads, as its URL has it: filters, order, page, and the lead that is open. */
import { instantOf } from "../shell/localDays.ts"
import { searchTexts } from "../shell/searchTexts.ts"
import type { LeadQuery } from "../api/queries.ts"

/** Parameters that choose leads, in the order of their chips. */
export const filterNames = [
  "signalId",
  "qualified",
  "exported",
  "isEmployee",
  "created",
  "createdAfter",
  "createdBefore",
  "updated",
  "updatedAfter",
  "updatedBefore"
] as const

const names = ["search", ...filterNames, "sort", "page", "pageSize", "lead"] as const

/**
 * Texts of the URL. Most have the names of the API; `created` and `updated` are windows of time that end now, and `lead` is the id of the one that
 * is open.
 */
export type LeadSearch = { readonly [Name in (typeof names)[number]]?: string }

/** Keeps known parameters with a text. Their values are judged by the API, which refuses a wrong one by its name. */
export const readLeadSearch = (given: Record<string, unknown>): LeadSearch => searchTexts(names, given)

/** Windows that end now, in days. */
export const windows = { "1d": 1, "7d": 7, "30d": 30, "90d": 90 } as const

const [millisPerMinute, millisPerDay] = [60_000, 86_400_000]

/** What the page offers; the URL may have any that the API takes. */
export const pageSizes = ["25", "50", "100"] as const

/** The beginning of a window, to the minute: within a minute the query stays the same, and the cache answers it. */
const windowStart = (window: string | undefined, now: number): string | undefined => {
  const days = new Map<string, number>(Object.entries(windows)).get(window ?? "")
  if (days === undefined) return undefined
  const start = now - days * millisPerDay
  return new Date(Math.floor(start / millisPerMinute) * millisPerMinute).toISOString()
}

const bound = (value: string | undefined, isEnd: boolean): string | undefined =>
  value === undefined ? undefined : instantOf(value, isEnd)

/** The parameters that choose leads, as the API takes them. */
export const filterOf = (search: LeadSearch, now = Date.now()): LeadQuery => {
  const parameters = {
    search: search.search,
    signalId: search.signalId,
    qualified: search.qualified,
    exported: search.exported,
    isEmployee: search.isEmployee,
    createdAfter: windowStart(search.created, now) ?? bound(search.createdAfter, false),
    createdBefore: search.created === undefined ? bound(search.createdBefore, true) : undefined,
    updatedAfter: windowStart(search.updated, now) ?? bound(search.updatedAfter, false),
    updatedBefore: search.updated === undefined ? bound(search.updatedBefore, true) : undefined
  }
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined))
}

/** The order of a URL without `sort`, which is then left out of it. */
export const defaultSort = "createdAt:desc"

/** The whole query. Numbers and flags stay the texts of the URL: the API says what is wrong with them. */
export const queryOf = (search: LeadSearch, now?: number): LeadQuery => ({
  ...filterOf(search, now),
  sort: search.sort ?? defaultSort,
  page: search.page ?? "1",
  pageSize: search.pageSize ?? "25"
})

/** A change of the list leads to its first page. */
export const withChange = (search: LeadSearch, change: LeadSearch): LeadSearch => {
  const { page: _, ...rest } = { ...search, ...change }
  return readLeadSearch(rest)
}
