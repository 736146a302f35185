/** The answer of a lead's detail. [DET-1, DET-4] */
import type { companyView } from "./CompanyView.ts"
import type { windowView } from "./EngagementView.ts"
import type { leadView } from "./LeadView.ts"

/** The list's fields, the company in full, and the engagements, always. [DET-1] */
type LeadDetailView = ReturnType<typeof leadView> & {
  readonly company: ReturnType<typeof companyView>
} & ReturnType<typeof windowView>

/** Of the JSON that `RenderedLeads.detailed` makes. */
export const leadDetailView = (shown: string): LeadDetailView => JSON.parse(shown)
