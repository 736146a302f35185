/** The JSON of the feed of changes. [CHG-1, CHG-2, CHG-3] */
import * as ChangeCursor from "../credentials/ChangeCursor.ts"
import { formatInstant } from "../model/Instant.ts"
import type { RemovedLead } from "../model/LeadChange.ts"
import type { ChangeQuery } from "../queries/ChangeQueries.ts"
import type { ChangeRead } from "../ports/LeadStore.ts"
import type { ChangeFeedPage } from "../usecases/LeadChanges.ts"
import { warningsView } from "./LeadListView.ts"
import * as RenderedLeads from "./RenderedLeads.ts"

/** A removed lead. It holds nothing of the person. [CHG-3] */
export const removedLeadView = ({ id, removedAt }: RemovedLead) => ({
  type: "removed" as const,
  id,
  removedAt: formatInstant(removedAt)
})

/** The `meta` of a page of the feed. [CHG-2] */
export const changeMetaView = (
  { brand, hasMore, next }: ChangeFeedPage,
  warnings: ReadonlyArray<string>
) => ({
  cursor: ChangeCursor.format(brand, next),
  hasMore,
  ...warningsView(warnings)
})

const changeJson = (change: ChangeRead, engagements: ChangeQuery["engagements"]): string => {
  if (change.type === "removed") return JSON.stringify(removedLeadView(change))
  const { lead, window } = change.read
  return `{"type":"lead","lead":${RenderedLeads.listed(RenderedLeads.renderLead(lead), window, engagements)}}`
}

/** The body of a page of the feed as JSON; `warnings` are sentences. [CHG-1] */
export const changeFeedJson = (
  { engagements }: ChangeQuery,
  page: ChangeFeedPage,
  warnings: ReadonlyArray<string> = []
): string =>
  `{"data":[${page.changes.map((change) => changeJson(change, engagements)).join(",")}],"meta":${JSON.stringify(changeMetaView(page, warnings))}}`
