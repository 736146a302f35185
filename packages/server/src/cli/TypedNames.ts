/** What people type on the command line for what the API calls otherwise, so that a refusal names an option and not a field. [CLI-20] */

/** The option or argument for each field or parameter, by its path in the API. */
export type TypedNames = Readonly<Record<string, string>>

/** The names that hold in every command that sends the field. A command in which one differs gives its own. */
export const typedNames: TypedNames = {
  "Idempotency-Key": "--idempotency-key",
  id: "LEAD-ID",
  name: "NAME",
  label: "LABEL",
  requestsPerMinute: "--requests-per-minute",
  scopes: "--scopes",
  expiresAt: "--expires",
  allowedAddresses: "--allow",
  brandId: "--brand",
  brandIds: "--brands",
  signalType: "--signal-type",
  "source.type": "--type",
  "source.value": "--value",
  "source.company": "--company",
  "source.liCompanyId": "--company-id",
  events: "--events",
  description: "--description",
  enabled: "--enabled",
  ordering: "--ordering",
  maxDelay: "--max-delay",
  format: "--format",
  maxBatch: "--max-batch",
  maxWait: "--max-wait",
  webhookId: "--webhook",
  event: "--event",
  state: "--state",
  since: "--since",
  cursor: "--cursor",
  page: "--page",
  pageSize: "--page-size",
  sort: "--sort",
  search: "--search",
  signalId: "--signal",
  qualified: "--qualified",
  exported: "--exported",
  isEmployee: "--employee",
  score1: "--score",
  createdAfter: "--created-after",
  createdBefore: "--created-before",
  updatedAfter: "--updated-after",
  updatedBefore: "--updated-before",
  includeEngagements: "--engagements",
  includeEngagementDetail: "--engagement-detail",
  interval: "--by",
  by: "--group",
  startDate: "--start",
  endDate: "--end",
  postId: "--post",
  day: "DAY",
  impressions: "--impressions",
  reactions: "--reactions",
  comments: "--comments",
  reposts: "--reposts"
}

const pathAtStart = /^[A-Za-z][\w-]*(?:\.\w+|\[[0-9]+\])*(?= )/

/** `[1]` of a list is its second entry; a key of an object stays as it is. */
const partName = (part: string): string => {
  const index = /^\[([0-9]+)\]$/.exec(part)?.[1]
  return index === undefined ? part.replace(/^\./, "") : `entry ${Number(index) + 1}`
}

/** What stands for the path: its own name, or that of the object or list around it with the part behind a colon. Null: nobody types it. */
const subjectOf = (path: string, names: TypedNames): string | null => {
  const parts = path.match(/\.?[\w-]+|\[[0-9]+\]/g) ?? []
  for (let count = parts.length; count > 0; count--) {
    const typed = names[parts.slice(0, count).join("")]
    if (typed !== undefined) return [typed, ...parts.slice(count).map(partName)].join(": ")
  }
  return null
}

/**
 * The server's message for a field or parameter, in the words that people type: the field at its beginning, where a message has it [OPER-4],
 * and others in the middle of it. A field that nobody types stays. `own` goes before `typedNames`. [CLI-20]
 */
export const inTypedNames = (message: string, own: TypedNames = {}): string => {
  const names: TypedNames = { ...typedNames, ...own }
  const path = pathAtStart.exec(message)?.[0] ?? ""
  const subject = path === "" ? null : subjectOf(path, names)
  const rest = message
    .slice(path.length)
    // Names of one lower-case word are words of the sentence, too.
    .replace(/\b[a-z]+[A-Z]\w*\b/g, (word) => names[word] ?? word)
  return `${subject ?? path}${rest}`
}
