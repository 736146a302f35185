/** Engagements with what is looked up when they are read. */
import {
  type Engagement,
  type EngagementRead,
  EngagementWindows,
  type EngagementWindow,
  type LeadId
} from "@lead-signals/domain"
import type { Tables } from "./Tables.ts"

export const engagementReadOf =
  (tables: Tables, brandId: string) =>
  (engagement: Engagement): EngagementRead => {
    const authorExtId = engagement.postAuthorDetail?.extId ?? null
    const author =
      authorExtId === null
        ? undefined
        : tables
            .leads(brandId)
            .all()
            .find(({ extId }) => extId === authorExtId)
    return {
      engagement,
      signal: tables.signals.get(engagement.signalId)!,
      authorLead: author === undefined ? null : { id: author.id, company: author.profile.company }
    }
  }

/** The newest first. */
export const engagementsOf = (tables: Tables, brandId: string, leadId: LeadId): Array<Engagement> =>
  tables
    .engagements(brandId)
    .all()
    .filter((engagement) => engagement.leadId === leadId)
    .sort(EngagementWindows.newestFirst)

export const windowOf = (tables: Tables, brandId: string, leadId: LeadId): EngagementWindow => {
  const all = engagementsOf(tables, brandId, leadId)
  return {
    engagements: all.slice(0, EngagementWindows.maxWindow).map(engagementReadOf(tables, brandId)),
    truncated: all.length > EngagementWindows.maxWindow
  }
}
