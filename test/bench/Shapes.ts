/** What is read: each shape's requests over so many leads, and its target. */
import * as Data from "./Data.ts"
import { get, type Target } from "./Load.ts"
import { randomShapes } from "./RandomShapes.ts"
import { type Shape, sorts } from "./Shape.ts"
import { commonWord, rareWord } from "./Words.ts"

const iso = (millis: number): string => encodeURIComponent(new Date(millis).toISOString())
const day = 86_400_000

const list = (query: string): string => `/signals/leads${query === "" ? "" : `?${query}`}`

const deepSorts = ["createdAt:desc", "updatedAt:asc", "score1:desc", "name:asc"]

const targetsOfSort = (sort: string) => (sort === "name:asc" ? { atSmall: 1.5, atLarge: 30 } : { atSmall: 1 })

/** Leads of brand one from one end to the other; of few engagements and of many, as they come. */
const detailIds = (leads: number): ReadonlyArray<number> =>
  Array.from({ length: 50 }, (_, i) => {
    const id = 1 + Math.floor((i / 50) * Data.idsOf(leads))
    return Data.brandOf(id) === 1 ? id : id + 1
  })

/**
 * `server` is over so many leads: it says which page of a list is its last, and how many leads each signal
 * caught. Those called `random-…` draw each request anew,
 * all others repeat theirs.
 */
export const shapesOf = async (
  leads: number,
  server: Pick<Target, "key" | "url">
): Promise<ReadonlyArray<Shape>> => {
  const { endsAt, startsAt } = Data
  const middle = (startsAt + endsAt) / 2
  const search = (text: string): string => `search=${encodeURIComponent(text)}`
  const one = (name: string, query: string, targets: Partial<Shape> = {}): Shape => ({
    name,
    paths: [list(query)],
    atSmall: 1,
    ...targets
  })
  const pages: Array<Shape> = []
  for (const sort of deepSorts) {
    const { text } = await get(server, list(`sort=${sort}`))
    const page: number = JSON.parse(text).meta.pagination.pageCount
    pages.push(
      one(`page-1000-${sort}`, `sort=${sort}&page=1000&pageSize=10`, { atLarge: 30 }),
      one(`last-page-${sort}`, `sort=${sort}&page=${page}`, { atLarge: 300 })
    )
  }
  const leadsBySignal: Array<number> = []
  for (let signal = 1; signal <= Data.signalsOfBrand; signal++) {
    const { text } = await get(server, list(`signalId=${signal}&pageSize=1`))
    leadsBySignal.push(JSON.parse(text).meta.pagination.total)
  }
  const [big, small] = [1, Data.signalsOfBrand]
  const common = search(commonWord.toLowerCase())
  const lastMonth = `updatedAfter=${iso(endsAt - 30 * day)}`
  return [
    one("first-page", "", { atSmall: 1.5, atLarge: 30 }),
    one("page-size-100", "pageSize=100", { atSmall: 1.5, atLarge: 30 }),
    ...sorts.map((sort) => one(`sort-${sort}`, `sort=${sort}`, targetsOfSort(sort))),
    ...pages,
    one("qualified", "qualified=true"),
    one("not-qualified", "qualified=false"),
    one("exported", "exported=true"),
    one("employee", "isEmployee=true"),
    one("signal-big", `signalId=${big}`, { atLarge: 50 }),
    one("signal-small", `signalId=${small}`, { atLarge: 50 }),
    one("search-rare", search(rareWord.toLowerCase()), { atLarge: 1000 }),
    one("search-common", common, { atLarge: 10 }),
    one("search-2", search("qu")),
    one("search-1", search("z")),
    one("created-after", `createdAfter=${iso(middle)}`),
    one("created-both", `createdAfter=${iso(middle)}&createdBefore=${iso(middle + 30 * day)}`),
    one("updated-after", lastMonth),
    one("updated-window", `${lastMonth}&sort=updatedAt:asc`, { atLarge: 300 }),
    one(
      "updated-both",
      `updatedAfter=${iso(middle)}&updatedBefore=${iso(middle + 7 * day)}&sort=updatedAt:asc`
    ),
    one("created-by-updated", `createdAfter=${iso(middle)}&sort=updatedAt:asc`, { atLarge: 300 }),
    one("qualified+signal", `qualified=true&signalId=${big}`),
    one("qualified+small-signal", `qualified=true&signalId=${small}`),
    one("qualified+updated", `qualified=true&${lastMonth}`),
    one("qualified+search", `qualified=true&${common}`),
    one("signal+updated", `signalId=${big}&${lastMonth}&sort=updatedAt:asc`),
    one("signal+search", `signalId=${small}&${common}`),
    one("recent+search", `createdAfter=${iso(endsAt - day)}&${common}`),
    one("created+updated", `createdAfter=${iso(middle)}&${lastMonth}`),
    // The rarest flags have no more leads than this.
    one("qualified+exported+employee", "qualified=true&exported=true&isEmployee=true&pageSize=5"),
    one("qualified+signal+updated", `qualified=true&signalId=${big}&${lastMonth}`),
    one("page-50-qualified", "qualified=true&page=50"),
    one("page-50-signal", `signalId=${big}&page=50`),
    one("with-engagements", "includeEngagements=true&pageSize=25"),
    one("with-engagement-detail", "includeEngagements=true&includeEngagementDetail=true&pageSize=25"),
    {
      name: "detail",
      paths: detailIds(leads).map((id) => `/signals/leads/${id}`),
      atSmall: 1,
      atLarge: 1
    },
    {
      name: "detail-with-detail",
      paths: detailIds(leads).map((id) => `/signals/leads/${id}?includeEngagementDetail=true`),
      atSmall: 1,
      atLarge: 1
    },
    { name: "metrics", paths: ["/campaign/1/metrics"], atSmall: 1 },
    {
      name: "metrics-span",
      paths: ["/campaign/1/metrics?startDate=2024-06-01&endDate=2025-03-31"],
      atSmall: 1
    },
    ...randomShapes(leads, leadsBySignal)
  ]
}

/** As many times as slow at most with the most leads as with the fewest. */
export const maxSlowdown = 1.5

/** Shapes that are compared with the bare server's rate. */
export const bareShapes = [
  { name: "first-page", atLeast: 1 / 15 },
  { name: "detail", atLeast: 1 / 6 }
]
