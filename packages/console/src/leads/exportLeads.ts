/** Leads as a file: every lead that passes a filter, in the order of creation, page by page. */
import type { Lead } from "../api/client.ts"
import type { LeadPage, LeadQuery } from "../api/queries.ts"

/** The form of an export, which is also the extension of its file. */
export type Format = "csv" | "jsonl"

type Read = (query: LeadQuery) => Promise<LeadPage>

const maxPageSize = 100

/** Leads by which a page overlaps the one before: as many may leave the instant before the page is read in vain. */
const minOverlap = 10

/** A page of the list, by its number from 1 on and its size. */
interface PagePlace {
  readonly page: number
  readonly pageSize: number
}

/** The page that begins at `offset` or before it and reaches the furthest. */
const pageFrom = (offset: number): PagePlace => {
  let furthest: PagePlace = { page: 1, pageSize: 0 }
  for (let pageSize = maxPageSize; pageSize > 0; pageSize--) {
    const page = Math.floor(offset / pageSize) + 1
    if (page * pageSize > furthest.page * furthest.pageSize) furthest = { page, pageSize }
  }
  return furthest
}

/** Whether the lead comes after the other one in the order of the export. */
const isAfter = (lead: Lead, other: Lead): boolean =>
  lead.createdAt > other.createdAt || (lead.createdAt === other.createdAt && lead.id > other.id)

/**
 * Every lead that passes the filter, once each, with how many there were when it began.
 *
 * Writers move leads between pages meanwhile, so the list is read from the instant of the last lead on, and a page counts only when it
 * begins with a lead that was read before, or with the first lead of the list: then no lead lies between it and the page before. Where
 * an instant fills more than a page, the next page overlaps the one before, and the page is read again from nearer its beginning when it begins
 * behind the last lead.
 */
export async function* allLeads(
  read: Read,
  filter: LeadQuery
): AsyncGenerator<{ readonly leads: ReadonlyArray<Lead>; readonly total: number }> {
  let after = filter.createdAfter
  let total: number | null = null
  /** The last lead that was read: each one before it was read, or did not stay. */
  let last: Lead | null = null
  /** The number of leads from the instant `after` to `last` when their pages were last read. */
  let rank = 0
  let overlap = minOverlap
  for (;;) {
    const { page, pageSize } = pageFrom(Math.max(0, rank - overlap))
    const { data, meta } = await read({
      ...filter,
      sort: "createdAt:asc",
      page,
      pageSize,
      ...(after === undefined ? {} : { createdAfter: after })
    })
    total ??= meta.pagination.total
    const before: Lead | null = last
    const isAdjacent = page === 1 || (data.length > 0 && before !== null && !isAfter(data[0]!, before))
    if (!isAdjacent) {
      overlap *= 2
      continue
    }
    overlap = minOverlap
    rank = (page - 1) * pageSize + data.length
    const leads: ReadonlyArray<Lead> = before === null ? data : data.filter((lead) => isAfter(lead, before))
    yield { total, leads }
    const newest = leads.at(-1)
    if (page >= meta.pagination.pageCount) return
    if (newest === undefined) continue
    if (newest.createdAt !== after) {
      after = newest.createdAt
      rank = data.filter(({ createdAt }) => createdAt === after).length
    }
    last = newest
  }
}

const columns: ReadonlyArray<readonly [name: string, of: (lead: Lead) => unknown]> = [
  ["id", ({ id }) => id],
  ["extId", ({ extId }) => extId],
  ["name", ({ name }) => name],
  ["headline", ({ headline }) => headline],
  ["title1", ({ title1 }) => title1],
  ["username", ({ username }) => username],
  ["liProfileUrl", ({ liProfileUrl }) => liProfileUrl],
  ["companyName", ({ leadCompany }) => leadCompany?.name],
  ["companyDomain", ({ leadCompany }) => leadCompany?.domain],
  ["qualified", ({ qualified }) => qualified],
  ["exported", ({ exported }) => exported],
  ["isEmployee", ({ isEmployee }) => isEmployee],
  ["score1", ({ score1 }) => score1],
  ["signalIds", ({ signalIds }) => signalIds.join(" ")],
  ["createdAt", ({ createdAt }) => createdAt],
  ["updatedAt", ({ updatedAt }) => updatedAt]
]

/** What a spreadsheet takes for the beginning of a formula, as the command line has it. */
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/u

/** A cell. A text that a spreadsheet would run as a formula begins with an apostrophe. */
const csvCell = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  const text = typeof value === "string" && formula.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const csvLine = (cells: ReadonlyArray<unknown>): string => `${cells.map(csvCell).join(",")}\r\n`

/** What stands before the first lead. */
export const headerOf = (format: Format): string =>
  format === "csv" ? csvLine(columns.map(([name]) => name)) : ""

/**
 * The text of the leads, each line ended; without the header of CSV. A cell of CSV that a spreadsheet would take for a formula begins with an
 * apostrophe.
 */
export const linesOf = (format: Format, leads: ReadonlyArray<Lead>): string =>
  leads
    .map((lead) =>
      format === "csv" ? csvLine(columns.map(([, of]) => of(lead))) : `${JSON.stringify(lead)}\n`
    )
    .join("")
