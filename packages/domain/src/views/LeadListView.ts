/** The answer of the list. [LIST-1, PAGE-1, SORT-4, ENG-4, LIST-10] */
import type { LeadQuery } from "../model/LeadQuery.ts"
import type { LeadPage } from "../ports/LeadStore.ts"
import * as Page from "../rules/Page.ts"
import * as SortOrder from "../rules/SortOrder.ts"
import { windowView } from "./EngagementView.ts"
import { leadView } from "./LeadView.ts"

/** Only there when something was ignored. */
export const warningsView = (warnings: ReadonlyArray<string>) => (warnings.length === 0 ? {} : { warnings })

export const leadListView = (query: LeadQuery, found: LeadPage) => {
  const detailed = query.engagements === "detailed"
  return {
    data: found.leads.map(({ lead, window }) => ({
      ...leadView(lead),
      ...(window === null ? {} : windowView(window, detailed))
    })),
    meta: {
      pagination: Page.pagination(query.page, found.total),
      sort: SortOrder.format(query.sort),
      engagements: { detailIncluded: detailed },
      ...warningsView(query.warnings)
    }
  }
}
