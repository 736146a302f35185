/** The JSON of a lead: on the API, and with fewer keys in webhooks. */
import { formatInstant } from "../model/Instant.ts"
import type { Lead } from "../model/Lead.ts"
import { leadCompanyView } from "./CompanyView.ts"

/** The lead in webhooks, `lead2`, with exactly these keys. [EVT-4] */
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

/**
 * The version of `leadView`. It rises by one with each change of the view; a store then renders again what it kept.
 */
export const leadViewVersion = 1

/**
 * The lead on the API: the keys of `lead2` and eight more. They are written out, because a list renders many leads and
 * spreading an object takes longer. [LIST-8]
 */
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
