/** An operator's changes to a lead: its flags and its score. */
import type { Instant } from "../model/Instant.ts"
import type { Lead, LeadAmendment } from "../model/Lead.ts"

/**
 * The lead with the amendment. `updatedAt` moves to `now` only when something changed, and never backwards. [OPER-5,
 * OBS-10]
 */
export const amend = (lead: Lead, amendment: LeadAmendment, now: Instant): Lead => {
  const amended = { ...lead, ...amendment }
  const changed = (Object.keys(amendment) as Array<keyof LeadAmendment>).some(
    (key) => lead[key] !== amended[key]
  )
  return changed ? { ...amended, updatedAt: Math.max(lead.updatedAt, now) } : lead
}
