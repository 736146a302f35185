/** Lists of leads: which leads a filter lets through, and in which order. */
import { newest, type ReferenceLead } from "./ReferenceLead.ts"
import { compareTexts, type FoldedTexts } from "./ReferenceText.ts"

/** The filters of a list; one that is absent lets everything through. Times are milliseconds, bounds inclusive. */
export interface Filter {
  /** Leads with an engagement from this signal. [LIST-2] */
  signalId?: string
  /** Leads whose flag equals this. [LIST-3] */
  qualified?: boolean
  /** Leads whose flag equals this. [LIST-3] */
  exported?: boolean
  /** Leads whose flag equals this. [LIST-3] */
  isEmployee?: boolean
  /** Created at this time or later. [TIME-5] */
  createdAfter?: number
  /** Created at this time or earlier. [TIME-5] */
  createdBefore?: number
  /** Updated at this time or later. [TIME-5] */
  updatedAfter?: number
  /** Updated at this time or earlier. [TIME-5] */
  updatedBefore?: number
  /** As a client types it. */
  search?: string
}

/** A query over the brand's leads. */
export interface Query {
  /** Which leads. */
  filter: Filter
  /** The field that orders them. [SORT-1] */
  field: "createdAt" | "updatedAt" | "score1" | "name"
  /** Ascending or descending. [SORT-1] */
  direction: "asc" | "desc"
  /** From 1. */
  page: number
  /** Leads on a page, after the cap. [PAGE-4] */
  pageSize: number
  /** How their engagements are shown. [ENG-1, ENG-3] */
  engagements: "none" | "plain" | "detailed"
}

const matches = (lead: ReferenceLead, filter: Filter, texts: FoldedTexts): boolean => {
  const wanted = filter.search
  const searched = [newest(lead, "name") as string, (newest(lead, "headline") as string | null) ?? ""]
  return (
    (filter.signalId === undefined || lead.signals.has(filter.signalId)) &&
    (filter.qualified === undefined || lead.qualified === filter.qualified) &&
    (filter.exported === undefined || lead.exported === filter.exported) &&
    (filter.isEmployee === undefined || lead.isEmployee === filter.isEmployee) &&
    !(filter.createdAfter !== undefined && lead.createdAt < filter.createdAfter) &&
    !(filter.createdBefore !== undefined && lead.createdAt > filter.createdBefore) &&
    !(filter.updatedAfter !== undefined && lead.updatedAt < filter.updatedAfter) &&
    !(filter.updatedBefore !== undefined && lead.updatedAt > filter.updatedBefore) &&
    (wanted === undefined ||
      wanted === "" ||
      searched.some((text) => texts.fold(text).includes(texts.fold(wanted))))
  )
}

const compare = (
  a: ReferenceLead,
  b: ReferenceLead,
  { direction, field }: Query,
  texts: FoldedTexts
): number => {
  const sign = direction === "asc" ? 1 : -1
  if (field === "score1") {
    if (a.score1 === null && b.score1 !== null) return 1
    if (a.score1 !== null && b.score1 === null) return -1
    return sign * ((a.score1 ?? 0) - (b.score1 ?? 0)) || a.id - b.id
  }
  const byField =
    field === "name"
      ? compareTexts(texts.fold(newest(a, "name") as string), texts.fold(newest(b, "name") as string))
      : a[field] - b[field]
  return sign * byField || a.id - b.id
}

/** The leads that pass the query's filter, in its order, on all pages. */
export const selectLeads = (
  leads: ReadonlyArray<ReferenceLead>,
  query: Query,
  texts: FoldedTexts
): Array<ReferenceLead> =>
  leads.filter((lead) => matches(lead, query.filter, texts)).sort((a, b) => compare(a, b, query, texts))
