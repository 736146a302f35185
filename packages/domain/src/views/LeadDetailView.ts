/** The answer of a lead's detail. [DET-1, DET-4] */
import type { companyView } from "./CompanyView.ts"
import type { windowView } from "./EngagementView.ts"
import type { leadView } from "./LeadView.ts"

/** The list's fields, the company in full, and the engagements, always. [DET-1] */
type LeadDetailView = ReturnType<typeof leadView> & {
  readonly company: ReturnType<typeof companyView>
} & ReturnType<typeof windowView>

/** The data of a lead's detail, from the JSON that `RenderedLeads.detailed` makes. [DET-1] */
export const leadDetailView = (rendered: string): LeadDetailView => JSON.parse(rendered)
