/**
 * The fields of each operation, spelled out from the interface's description: the document has what the service's own schemas say, so that a
 * field which these lose would have no forms, and nobody would miss it. [LIST-7, ERR-3]
 */
import type { Operation } from "./Operations.ts"

const within = (path: string, names: string): ReadonlyArray<string> =>
  names.split(" ").map((name) => `${path}.${name}`)

const company =
  "id name domain url homepageUrl logoUrl industry staffCountRange staffCount location country city username description"

const lists =
  "page pageSize signalId qualified exported isEmployee createdAfter createdBefore updatedAfter updatedBefore includeEngagements includeEngagementDetail search sort"

const webhook = "url events description enabled ordering maxDelay format maxBatch maxWait"

/** Parameters of the query and fields of the body, by the operation. */
export const contractFields: Readonly<Record<string, ReadonlyArray<string>>> = {
  listLeads: lists.split(" "),
  listChanges: ["cursor", "pageSize", "wait", "includeEngagements", "includeEngagementDetail"],
  getLead: ["includeEngagementDetail"],
  listSignalLeads: lists.split(" "),
  getSignalLead: ["includeEngagementDetail"],
  campaignMetrics: ["startDate", "endDate"],
  readCampaignSeries: ["interval", "startDate", "endDate", "postId"],
  signIn: ["credential"],
  createBrand: ["name"],
  renameBrand: ["name"],
  createKey: ["label", "requestsPerMinute", "scopes", "expiresAt", "allowedAddresses"],
  createSignal: [
    "name",
    "signalType",
    "source",
    ...within("source", "type value liCompanyId company"),
    ...within("source.company", company)
  ],
  renameSignal: ["name"],
  recordObservations: [
    "unknownFields",
    "observations",
    ...within("observations[]", "signalId person engagement"),
    ...within(
      "observations[].person",
      "extId name headline username title1 liProfileUrl profileImgUrl company"
    ),
    ...within("observations[].person.company", company),
    ...within(
      "observations[].engagement",
      "id type reactionType commentText postUrl postContent postPostedAt postAuthor emittedAt trackedAt postAuthorDetail"
    ),
    ...within(
      "observations[].engagement.postAuthorDetail",
      "extId name firstName lastName headline username linkedinProfileUrl profileImageUrl"
    )
  ],
  operatorLeads: lists.split(" "),
  operatorChanges: ["cursor", "pageSize", "includeEngagements", "includeEngagementDetail"],
  amendLead: ["qualified", "exported", "isEmployee", "score1"],
  leadSeries: ["interval", "startDate", "endDate", "by"],
  engagementSeries: ["interval", "startDate", "endDate", "by"],
  deliverySeries: ["interval", "startDate", "endDate"],
  createCampaign: ["name"],
  renameCampaign: ["name"],
  operatorMetrics: ["startDate", "endDate"],
  campaignSeries: ["interval", "startDate", "endDate", "postId"],
  putSnapshot: ["impressions", "reactions", "comments", "reposts"],
  createToken: ["name", "scopes", "brandIds", "expiresAt"],
  listAudit: ["brandId", "since", "cursor", "pageSize"],
  createWebhook: webhook.split(" "),
  changeWebhook: webhook.split(" "),
  recoverWebhook: ["since"],
  listDeliveries: ["state", "page", "pageSize"],
  resendLead: ["webhookId", "event"]
}

/** A field that the document has of no operation of the name; null where it has all. */
export const missingField = (operations: ReadonlyArray<Operation>): string | null => {
  for (const [id, names] of Object.entries(contractFields)) {
    const operation = operations.find((each) => each.id === id)
    const known = new Set(operation?.fields.map(({ path }) => path))
    const missing = names.find((name) => !known.has(name))
    if (missing !== undefined) return `${missing} of ${id}`
  }
  return null
}
