/** Leads as a file: every lead that passes a filter, in the order of creation, page by page. */
import type { Lead } from "../api/client.ts"
import type { LeadPage, LeadQuery } from "../api/queries.ts"

/** The form of an export, which is also the extension of its file. */
export type Format = "csv" | "jsonl"

type Read = (query: LeadQuery) => Promise<LeadPage>

const pageSize = 100
const sort = "createdAt:asc"

/** Pages of leads of one instant, from the last to the first: what is erased meanwhile moves no lead that is still to come. */
async function* leadsOfInstant(read: Read, filter: LeadQuery, instant: string) {
  const query = { ...filter, sort, pageSize, createdAfter: instant, createdBefore: instant } as const
  const { meta } = await read(query)
  for (let page = meta.pagination.pageCount; page >= 1; page--) yield (await read({ ...query, page })).data
}

/**
 * Every lead that passes the filter, once each, with how many there were when it began. A lead that is erased or created meanwhile
 * moves the others between pages, so each page begins at the instant of the last lead before it.
 */
export async function* allLeads(
  read: Read,
  filter: LeadQuery
): AsyncGenerator<{ readonly leads: ReadonlyArray<Lead>; readonly total: number }> {
  let after = filter.createdAfter
  let total: number | null = null
  let seen = new Set<number>()
  for (;;) {
    const query = {
      ...filter,
      sort,
      pageSize,
      ...(after === undefined ? {} : { createdAfter: after })
    } as const
    const { data, meta } = await read(query)
    total ??= meta.pagination.total
    yield { total, leads: data.filter(({ id }) => !seen.has(id)) }
    const last = data.at(-1)?.createdAt
    if (last === undefined || meta.pagination.pageCount <= 1) return
    for (const { createdAt, id } of data) if (createdAt === last) seen.add(id)
    if (last !== after) {
      after = last
      seen = new Set(data.filter(({ createdAt }) => createdAt === last).map(({ id }) => id))
      continue
    }
    for await (const leads of leadsOfInstant(read, filter, last)) {
      yield { total, leads: leads.filter(({ id }) => !seen.has(id)) }
      for (const { id } of leads) seen.add(id)
    }
    after = new Date(Date.parse(last) + 1).toISOString()
    seen = new Set()
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
