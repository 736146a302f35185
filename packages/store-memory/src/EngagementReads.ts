/** Joins engagements with their signal and with the lead that wrote their post. */
import {
  type Engagement,
  type EngagementRead,
  EngagementWindows,
  type EngagementWindow
} from "@lead-signals/domain"
import type { BrandLeads, LeadRecord } from "./BrandLeads.ts"
import type { Memory } from "./MemoryState.ts"

/** Adds to an engagement its signal and the author's lead. */
export const engagementReadOf =
  (memory: Memory, leads: BrandLeads) =>
  (engagement: Engagement): EngagementRead => {
    const authorExtId = engagement.postAuthorDetail?.extId
    const authorId = authorExtId == null ? undefined : leads.byExtId.get(authorExtId)
    return {
      engagement,
      signal: memory.signals.get(engagement.signalId)!,
      authorLead:
        authorId === undefined
          ? null
          : { id: authorId, company: leads.byId.get(authorId)!.lead.profile.company }
    }
  }

/** The newest engagements of a lead, as many as a window has. */
export const windowOf = (
  memory: Memory,
  leads: BrandLeads,
  { engagements }: LeadRecord
): EngagementWindow => ({
  engagements: engagements.slice(0, EngagementWindows.maxWindow).map(engagementReadOf(memory, leads)),
  truncated: engagements.length > EngagementWindows.maxWindow
})
