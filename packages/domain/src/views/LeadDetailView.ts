/** The JSON of one lead in detail. [DET-1, DET-4] */
import type { companyView } from "./CompanyView.ts"
import type { windowView } from "./EngagementView.ts"
import type { leadView } from "./LeadView.ts"

/** The fields of the list, the company in full, and always the engagements. [DET-1] */
type LeadDetailView = ReturnType<typeof leadView> & {
  readonly company: ReturnType<typeof companyView>
} & ReturnType<typeof windowView>

/** The data of a lead's detail, from the JSON that `RenderedLeads.detailed` makes. [DET-1] */
export const leadDetailView = (rendered: string): LeadDetailView => JSON.parse(rendered)
