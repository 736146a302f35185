/** Engagements with what is looked up when they are read. */
import {
  type Engagement,
  type EngagementRead,
  EngagementWindows,
  type EngagementWindow
} from "@lead-signals/domain"
import type { BrandLeads, LeadRecord } from "./BrandLeads.ts"
import type { MemoryState } from "./MemoryState.ts"

type State = typeof MemoryState.Service

export const engagementReadOf =
  (state: State, leads: BrandLeads) =>
  (engagement: Engagement): EngagementRead => {
    const authorExtId = engagement.postAuthorDetail?.extId
    const authorId = authorExtId == null ? undefined : leads.byExtId.get(authorExtId)
    return {
      engagement,
      signal: state.signals.get(engagement.signalId)!,
      authorLead:
        authorId === undefined
          ? null
          : { id: authorId, company: leads.byId.get(authorId)!.lead.profile.company }
    }
  }

export const windowOf = (state: State, leads: BrandLeads, { engagements }: LeadRecord): EngagementWindow => ({
  engagements: engagements.slice(0, EngagementWindows.greatestWindow).map(engagementReadOf(state, leads)),
  truncated: engagements.length > EngagementWindows.greatestWindow
})
