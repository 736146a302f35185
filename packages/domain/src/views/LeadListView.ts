/** The JSON of a list of leads. [LIST-1, PAGE-1, SORT-4, ENG-4, LIST-10] */
import type { LeadQuery } from "../queries/LeadQuery.ts"
import type { LeadPage, RenderedPage } from "../ports/LeadStore.ts"
import * as Page from "../queries/Page.ts"
import * as SortOrder from "../queries/SortOrder.ts"
import { windowView } from "./EngagementView.ts"
import { leadView } from "./LeadView.ts"

/** The key `warnings` with the given sentences; no key when there are none. [LIST-10] */
export const warningsView = (warnings: ReadonlyArray<string>) => (warnings.length === 0 ? {} : { warnings })

const metaView = (query: LeadQuery, total: number, warnings: ReadonlyArray<string>) => ({
  pagination: Page.pagination(query.page, total),
  sort: SortOrder.format(query.sort),
  engagements: { detailIncluded: query.engagements === "detailed" },
  ...warningsView(warnings)
})

/** The body of a list: the leads as `data`, and page, sort and warnings as `meta`. `warnings` are sentences. [LIST-1, PAGE-1, SORT-4] */
export const leadListView = (query: LeadQuery, found: LeadPage, warnings: ReadonlyArray<string> = []) => ({
  data: found.leads.map(({ lead, window }) => ({
    ...leadView(lead),
    ...(window === null ? {} : windowView(window, query.engagements))
  })),
  meta: metaView(query, found.total, warnings)
})

/** As `leadListView`, as JSON text from leads that are JSON texts already. [LIST-1] */
export const leadListJson = (
  query: LeadQuery,
  { leads, total }: RenderedPage,
  warnings: ReadonlyArray<string> = []
): string => `{"data":[${leads.join(",")}],"meta":${JSON.stringify(metaView(query, total, warnings))}}`
