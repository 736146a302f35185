/** A lead as it is shown: on REST, and in the narrower shape that webhooks carry. */
import { formatInstant } from "../model/Instant.ts"
import type { EngagementWindow, Lead } from "../model/Lead.ts"
import { companyView, leadCompanyView } from "./CompanyView.ts"
import { windowView } from "./EngagementView.ts"

/** The webhook's shape: exactly the keys of 2.1. [EVT-4] */
export const lead2View = (lead: Lead) => ({
  id: lead.id,
  extId: lead.extId,
  name: lead.profile.name,
  headline: lead.profile.headline,
  username: lead.profile.username,
  title1: lead.profile.title1,
  liProfileUrl: lead.profile.liProfileUrl,
  profileImgUrl: lead.profile.profileImgUrl,
  leadCompany: leadCompanyView(lead.profile.company)
})

/** The REST lead: the same and nine more, in one piece, since lists make many of them. [LIST-8] */
export const leadView = (lead: Lead) => ({
  id: lead.id,
  extId: lead.extId,
  name: lead.profile.name,
  headline: lead.profile.headline,
  username: lead.profile.username,
  title1: lead.profile.title1,
  liProfileUrl: lead.profile.liProfileUrl,
  profileImgUrl: lead.profile.profileImgUrl,
  leadCompany: leadCompanyView(lead.profile.company),
  signalId: lead.signalId,
  signalIds: lead.signalIds,
  qualified: lead.qualified,
  exported: lead.exported,
  isEmployee: lead.isEmployee,
  score1: lead.score1,
  createdAt: formatInstant(lead.createdAt),
  updatedAt: formatInstant(lead.updatedAt)
})

/** The detail: the list's fields, the company in full, and the engagements, always. [DET-1] */
export const leadDetailView = (lead: Lead, window: EngagementWindow, withDetail: boolean) => ({
  ...leadView(lead),
  company: companyView(lead.profile.company),
  ...windowView(window, withDetail)
})
