/** Leads already in JSON: what a store can keep of what it shows. */
import type { Company } from "../model/Company.ts"
import type { EngagementWindow, Lead } from "../model/Lead.ts"
import type { LeadQuery } from "../queries/LeadQuery.ts"
import type { LeadPage, LeadRead, RenderedPage } from "../ports/LeadStore.ts"
import { companyView } from "./CompanyView.ts"
import { windowView } from "./EngagementView.ts"
import { leadView, leadViewVersion } from "./LeadView.ts"

type Engagements = LeadQuery["engagements"]

/** The JSON of a lead without engagements. [LIST-8] */
export const renderLead = (lead: Lead): string => JSON.stringify(leadView(lead))

/** The lead with more keys, of which there is one at least. */
const joined = (rendered: string, more: object): string =>
  `${rendered.slice(0, -1)},${JSON.stringify(more).slice(1)}`

/**
 * The JSON of a lead as a list shows it, from that of `renderLead`: with its engagements, if the query requests
 * them. [LIST-1, ENG-1]
 */
export const listed = (rendered: string, window: EngagementWindow | null, engagements: Engagements): string =>
  window === null ? rendered : joined(rendered, windowView(window, engagements))

/**
 * The JSON of a lead as the detail shows it, from that of `renderLead`: with the company in full, and always with the
 * engagements. [DET-1, DET-4]
 */
export const detailed = (
  rendered: string,
  company: Company | null,
  window: EngagementWindow,
  engagements: Engagements
): string => joined(rendered, { company: companyView(company), ...windowView(window, engagements) })

/** The JSON of the detail of a lead that was read with its engagements. [DET-1] */
export const ofLead = ({ lead, window }: LeadRead, engagements: Engagements): string =>
  detailed(
    renderLead(lead),
    lead.profile.company,
    window ?? { engagements: [], truncated: false },
    engagements
  )

/** A page of leads, each as the JSON that a list shows. [LIST-1] */
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

/**
 * `keptForm` of the present view: `keep` gives the text that a store keeps of a rendered lead, `restore` the rendered lead again, or
 * null when another version of the view rendered it.
 */
export const { keep, restore } = keptForm(leadViewVersion)
