/** Leads as lists show them, already in JSON. */
import type { Lead } from "../model/Lead.ts"
import type { LeadPage, ShownPage } from "../ports/LeadStore.ts"
import { leadView } from "./LeadView.ts"

export const shownLead = (lead: Lead): string => JSON.stringify(leadView(lead))

/** What a store shows that keeps nothing of the kind. */
export const ofPage = ({ leads, total }: LeadPage): ShownPage => ({
  total,
  leads: leads.map(({ lead, window }) => ({ shown: shownLead(lead), window }))
})

/** The lead with more keys, of which there is one at least. */
export const joined = (shown: string, more: object): string =>
  `${shown.slice(0, -1)},${JSON.stringify(more).slice(1)}`

/** The id comes first, and a store may not know it before the lead is kept. */
const beforeId = '{"id":'

/** What is shown, less the id. */
export const withoutId = (shown: string): string => shown.slice(shown.indexOf(",") + 1)

export const withId = (id: number, rest: string): string => `${beforeId}${id},${rest}`
