/** Leads already in JSON: what a store can keep of what it shows. */
import type { Company } from "../model/Company.ts"
import type { EngagementWindow, Lead } from "../model/Lead.ts"
import type { LeadQuery } from "../queries/LeadQuery.ts"
import type { LeadPage, LeadRead, RenderedPage } from "../ports/LeadStore.ts"
import { companyView } from "./CompanyView.ts"
import { windowView } from "./EngagementView.ts"
import { leadView } from "./LeadView.ts"

type Engagements = LeadQuery["engagements"]

/** The lead alone. [LIST-8] */
export const renderLead = (lead: Lead): string => JSON.stringify(leadView(lead))

/** The lead with more keys, of which there is one at least. */
const joined = (shown: string, more: object): string =>
  `${shown.slice(0, -1)},${JSON.stringify(more).slice(1)}`

/** As a list shows the lead: with its engagements where it was asked for them. [LIST-1, ENG-1] */
export const listed = (shown: string, window: EngagementWindow | null, engagements: Engagements): string =>
  window === null ? shown : joined(shown, windowView(window, engagements === "detailed"))

/** As the detail shows it: with the company in full, and the engagements, always. [DET-1, DET-4] */
export const detailed = (
  shown: string,
  company: Company | null,
  window: EngagementWindow,
  engagements: Engagements
): string =>
  joined(shown, { company: companyView(company), ...windowView(window, engagements === "detailed") })

/** A lead that was read with its engagements, as the detail shows it. */
export const ofLead = ({ lead, window }: LeadRead, engagements: Engagements): string =>
  detailed(
    renderLead(lead),
    lead.profile.company,
    window ?? { engagements: [], truncated: false },
    engagements
  )

/** A page of leads that were read, as the list shows them. */
export const ofPage = ({ leads, total }: LeadPage, engagements: Engagements): RenderedPage => ({
  total,
  leads: leads.map(({ lead, window }) => listed(renderLead(lead), window, engagements))
})

/**
 * How a store keeps the JSON of a lead, for one version of the view. The id is left out: it comes first, and a store may not
 * know it before it has written the row. `null` is a text that another version of the view made, to be rendered anew.
 */
export const keptForm = (version: number) => {
  // The first version has no mark: its texts begin with the quotation mark of the key after the id.
  const mark = version === 1 ? "" : `${version};`
  const beginning = `${mark}"`
  return {
    keep: (rendered: string): string => mark + rendered.slice(rendered.indexOf(",") + 1),
    restore: (id: number, kept: string | null): string | null =>
      kept?.startsWith(beginning) === true ? `{"id":${id},${kept.slice(mark.length)}` : null
  }
}

/** Rises by one with each change of what `renderLead` makes of a lead: kept texts follow without a migration. */
export const viewVersion = 1

export const { keep, restore } = keptForm(viewVersion)
