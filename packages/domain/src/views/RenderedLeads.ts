/** Leads as JSON texts, which a store can keep and join into answers. */
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

/** Appends the keys of `more`, at least one, to the JSON of an object. */
const joined = (rendered: string, more: object): string =>
  `${rendered.slice(0, -1)},${JSON.stringify(more).slice(1)}`

/**
 * The JSON of a lead in a list. `rendered` is what `renderLead` gives; a `window` of null adds no engagements. [LIST-1, ENG-1]
 */
export const listed = (rendered: string, window: EngagementWindow | null, engagements: Engagements): string =>
  window === null ? rendered : joined(rendered, windowView(window, engagements))

/**
 * The JSON of a lead's detail. `rendered` is what `renderLead` gives; the company in full and the engagements are added.
 * [DET-1, DET-4]
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

/** Renders each lead of a page, as a list shows it. [LIST-1] */
export const ofPage = ({ leads, total }: LeadPage, engagements: Engagements): RenderedPage => ({
  total,
  leads: leads.map(({ lead, window }) => listed(renderLead(lead), window, engagements))
})

/**
 * How a store keeps the JSON of a lead, for one version of the view. `keep` drops the id, which comes first, because a store may
 * not know it before it has written the row. `restore` adds it again, and gives null for a text of another version, which the
 * store then renders anew.
 */
export const keptForm = (version: number) => {
  // The first version has no mark: its texts begin with the quotation mark of the key after the id.
  const mark = version === 1 ? "" : `${version};`
  const prefix = `${mark}"`
  return {
    keep: (rendered: string): string => mark + rendered.slice(rendered.indexOf(",") + 1),
    restore: (id: number, kept: string | null): string | null =>
      kept?.startsWith(prefix) === true ? `{"id":${id},${kept.slice(mark.length)}` : null
  }
}

/** The `keptForm` of the current version of the view. */
export const { keep, restore } = keptForm(leadViewVersion)
