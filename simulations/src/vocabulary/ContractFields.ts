/**
 * The fields of each operation with their bounds, spelled out from the interface's description: the document has what the service's own schemas
 * say, so that a field which these lose would have no forms, forms would lie around a bound that these have otherwise, and nobody would miss
 * it. [LIST-7, ERR-3]
 */
import type { Field, Operation } from "./Operations.ts"

/** Paths of fields, each with what it takes: see `signatureOf`. */
type Fields = Readonly<Record<string, string>>

const within = (path: string, fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, signature]) => [`${path}.${name}`, signature]))

const each = (names: string, signature: string): Fields =>
  Object.fromEntries(names.split(" ").map((name) => [name, signature]))

const positive = "integer 1..9007199254740991, optional"
const flag = "boolean, optional"
const anyText = "text 0.., optional"
const orNull = (max: number | ""): string => `text 0..${max}, optional, null`
const days = each("startDate endDate", anyText)
const name: Fields = { name: "text 1..256" }
const engagementFlags = each("includeEngagements includeEngagementDetail", flag)

const company: Fields = {
  id: "integer 1..9007199254740991",
  ...each("name domain industry staffCountRange location country city username", orNull(256)),
  ...each("url homepageUrl logoUrl description", orNull(4096)),
  staffCount: "number 0.., optional, null"
}

const lists: Fields = {
  ...each("page pageSize signalId", positive),
  ...each("qualified exported isEmployee", flag),
  ...each("createdAfter createdBefore updatedAfter updatedBefore sort", anyText),
  ...engagementFlags,
  search: "text 0..200, optional"
}

const changes: Fields = { cursor: "text 0..200, optional", pageSize: positive, ...engagementFlags }

const webhook: Fields = {
  description: orNull(4096),
  enabled: flag,
  ordering: "choice none lead, optional",
  maxDelay: "integer 1..2592000, optional, null",
  format: "choice envelope cloudevents, optional",
  maxBatch: "integer 1..100, optional",
  maxWait: "integer 0..300, optional"
}

const events = "choices lead2.created activity.detected"
const hourly = "choice hour day week, optional"
const ofCampaign: Fields = { interval: "choice day week, optional", ...days, postId: anyText }

/** Parameters of the query and fields of the body, by the operation, as docs/openapi has them. */
export const contractFields: Readonly<Record<string, Fields>> = {
  listLeads: lists,
  listChanges: { ...changes, wait: "integer 0..30, optional" },
  getLead: { includeEngagementDetail: flag },
  listSignalLeads: lists,
  getSignalLead: { includeEngagementDetail: flag },
  campaignMetrics: days,
  readCampaignSeries: ofCampaign,
  signIn: { credential: "text 0.." },
  createBrand: name,
  renameBrand: name,
  createKey: {
    label: "text 1..256",
    requestsPerMinute: "integer 1..1000000, optional",
    scopes: "choices leads metrics, optional",
    expiresAt: orNull(""),
    allowedAddresses: "texts ..100, optional, null"
  },
  createSignal: {
    ...each("name signalType", "text 1..256"),
    source: "object",
    "source.type": "choice li-company-url li-company-mention li-profile-url post-url posts-with-keywords",
    "source.value": "text 1..4096",
    "source.liCompanyId": orNull(512),
    "source.company": "object, optional, null",
    ...within("source.company", company)
  },
  renameSignal: name,
  recordObservations: {
    unknownFields: "choice ignore report reject, optional",
    observations: "items ..1000",
    ...within("observations[]", { signalId: "text 0..", person: "object", engagement: "object" }),
    ...within("observations[].person", {
      extId: "text 1..512",
      name: "text 1..256",
      headline: orNull(512),
      ...each("username title1", orNull(256)),
      ...each("liProfileUrl profileImgUrl", orNull(4096)),
      company: "object, optional, null",
      ...within("company", company)
    }),
    ...within("observations[].engagement", {
      id: "text 1..512",
      type: "choice comment reaction repost, optional, null",
      ...each("reactionType postAuthor", orNull(256)),
      commentText: orNull(20_000),
      postUrl: orNull(4096),
      postContent: orNull(100_000),
      ...each("postPostedAt emittedAt trackedAt", orNull("")),
      postAuthorDetail: "object, optional, null",
      ...within("postAuthorDetail", {
        ...each("extId headline", orNull(512)),
        ...each("name firstName lastName username", orNull(256)),
        ...each("linkedinProfileUrl profileImageUrl", orNull(4096))
      })
    })
  },
  operatorLeads: lists,
  operatorChanges: changes,
  amendLead: { ...each("qualified exported isEmployee", flag), score1: "number .., optional, null" },
  leadSeries: { interval: hourly, ...days, by: "choice signal, optional" },
  engagementSeries: { interval: hourly, ...days, by: "choice signal type, optional" },
  deliverySeries: { interval: hourly, ...days },
  createCampaign: name,
  renameCampaign: name,
  operatorMetrics: days,
  campaignSeries: ofCampaign,
  putSnapshot: each("impressions reactions comments reposts", "integer 0..1000000000000"),
  createToken: {
    ...name,
    scopes: "choices read ingest webhooks metrics admin",
    brandIds: "texts ..100, optional, null",
    expiresAt: orNull("")
  },
  listAudit: { ...each("brandId since cursor", anyText), pageSize: "integer 1.., optional" },
  createWebhook: { url: "text 1..2048", events, ...webhook },
  changeWebhook: { url: "text 1..2048, optional", events: `${events}, optional`, ...webhook },
  recoverWebhook: { since: "text 0.." },
  listDeliveries: {
    state: "choice pending held delivered dead, optional",
    ...each("page pageSize", "integer 1.., optional")
  },
  resendLead: { webhookId: "text 0..", event: "choice lead2.created activity.detected" }
}

/** What the document says of a field: its kind with its bounds, and whether it can be absent or null. */
const signatureOf = ({ isNullable, isRequired, kind }: Field): string => {
  const range = (min: number | null, max: number | null): string => `${min ?? ""}..${max ?? ""}`
  const words = (): string => {
    switch (kind.is) {
      case "text":
      case "integer":
      case "number":
        return `${kind.is} ${range(kind.min, kind.max)}`
      case "choice":
      case "choices":
        return `${kind.is} ${kind.of.join(" ")}`
      case "items":
      case "texts":
        return `${kind.is} ${range(null, kind.max)}`
      default:
        return kind.is
    }
  }
  return `${words()}${isRequired ? "" : ", optional"}${isNullable ? ", null" : ""}`
}

/** The groups in which the document has the calls of each kind of credential, by which generated clients name them. */
const groups: Readonly<Record<string, ReadonlyArray<string>>> = {
  key: [""],
  operator: ["operator", "webhooks"]
}

/** What the document lacks of the contract: a field of an operation, a bound of one, or the group of a call; null where it has all. */
export const missingField = (operations: ReadonlyArray<Operation>): string | null => {
  for (const { access, group, id } of operations) {
    if (groups[access]?.includes(group) === false) return `the group of ${id}, and has "${group}"`
  }
  for (const [id, fields] of Object.entries(contractFields)) {
    const operation = operations.find((each) => each.id === id)
    const known = new Map(operation?.fields.map((field) => [field.path, signatureOf(field)]))
    for (const [path, signature] of Object.entries(fields)) {
      const found = known.get(path)
      if (found === undefined) return `${path} of ${id}`
      if (found !== signature) return `"${signature}" for ${path} of ${id}, and has "${found}"`
    }
  }
  return null
}
