/** The answer of a lead's detail. [DET-1, DET-4] */
import type { ShownDetail } from "../ports/LeadStore.ts"
import { companyView } from "./CompanyView.ts"
import { windowView } from "./EngagementView.ts"
import type { leadView } from "./LeadView.ts"
import { joined } from "./ShownLeads.ts"

const beyondTheList = ({ company, window }: ShownDetail, withDetail: boolean) => ({
  company: companyView(company),
  ...windowView(window, withDetail)
})

/** The detail: the list's fields, the company in full, and the engagements, always. [DET-1] */
export const leadDetailView = (detail: ShownDetail, withDetail: boolean) => ({
  ...(JSON.parse(detail.shown) as ReturnType<typeof leadView>),
  ...beyondTheList(detail, withDetail)
})

/** The same as JSON. */
export const leadDetailJson = (detail: ShownDetail, withDetail: boolean): string =>
  joined(detail.shown, beyondTheList(detail, withDetail))
