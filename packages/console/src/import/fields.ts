/** The fields of an observation, and which column of a file probably holds which. */

/** A field by its path in an observation, with the words by which columns call it. */
export interface ImportField {
  readonly path: string
  readonly text: string
  readonly isRequired: boolean
  readonly isNumber: boolean
  readonly names: ReadonlyArray<string>
}

const field = (
  path: string,
  text: string,
  names: ReadonlyArray<string>,
  more: Partial<ImportField> = {}
): ImportField => ({
  path,
  text,
  names,
  isRequired: false,
  isNumber: false,
  ...more
})

const required = { isRequired: true } as const
const number = { isNumber: true } as const

/** In the order of the table of the page. `signalId` is required too, but can be chosen for all rows. */
export const fields: ReadonlyArray<ImportField> = [
  field(
    "person.extId",
    "Person: external id",
    ["extid", "externalid", "personid", "memberid", "profileid"],
    required
  ),
  field("person.name", "Person: name", ["name", "fullname", "personname"], required),
  field("engagement.id", "Engagement: id", ["engagementid", "eventid", "activityid"], required),
  field("signalId", "Signal: id", ["signalid", "signal"]),
  field("person.headline", "Person: headline", ["headline"]),
  field("person.title1", "Person: title", ["title1", "title", "jobtitle", "position"]),
  field("person.username", "Person: user name", ["username", "vanityname", "handle"]),
  field("person.liProfileUrl", "Person: profile URL", [
    "liprofileurl",
    "profileurl",
    "linkedinurl",
    "linkedinprofileurl"
  ]),
  field("person.company.id", "Company: id", ["companyid"], number),
  field("person.company.name", "Company: name", [
    "company",
    "companyname",
    "employer",
    "organisation",
    "organization"
  ]),
  field("person.company.domain", "Company: domain", ["companydomain", "domain"]),
  field("engagement.type", "Engagement: type", ["type", "engagementtype"]),
  field("engagement.reactionType", "Engagement: reaction", ["reactiontype", "reaction"]),
  field("engagement.commentText", "Engagement: comment", ["commenttext", "comment"]),
  field("engagement.postUrl", "Post: URL", ["posturl", "post"]),
  field("engagement.postContent", "Post: text", ["postcontent", "posttext"]),
  field("engagement.postAuthor", "Post: author", ["postauthor", "author"]),
  field("engagement.emittedAt", "Engagement: when", ["emittedat", "date", "engagedat"]),
  field("engagement.trackedAt", "Seen at", ["trackedat", "seenat", "collectedat"])
]

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/** The path of the field that each column holds; empty where no field is like it. Each field is guessed once. */
export const guess = (columns: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Set<string>()
  return columns.map((column) => {
    const name = plain(column)
    const found = fields.find(
      ({ names, path }) => !taken.has(path) && (plain(path) === name || names.includes(name))
    )
    if (found === undefined) return ""
    taken.add(found.path)
    return found.path
  })
}

/** What an import needs and no column holds. */
export const missingFields = (mapping: ReadonlyArray<string>, hasSignal: boolean): ReadonlyArray<string> => [
  ...fields.filter(({ isRequired, path }) => isRequired && !mapping.includes(path)).map(({ text }) => text),
  ...(hasSignal || mapping.includes("signalId") ? [] : ["Signal: id"])
]

type Json = Record<string, unknown>

const place = (observation: Json, path: string, value: unknown): void => {
  const keys = path.split(".")
  const last = keys.pop()!
  let inner = observation
  for (const key of keys) inner = (inner[key] ??= {}) as Json
  inner[last] = value
}

const numberPaths = new Set(fields.filter(({ isNumber }) => isNumber).map(({ path }) => path))

/** The observation of a row. Empty cells say nothing. */
export const observationOf = (
  cells: ReadonlyArray<string>,
  mapping: ReadonlyArray<string>,
  signalId: string
): object => {
  const observation: Json = signalId === "" ? {} : { signalId }
  for (const [i, path] of mapping.entries()) {
    const cell = cells[i]?.trim() ?? ""
    if (path !== "" && cell !== "") place(observation, path, numberPaths.has(path) ? Number(cell) : cell)
  }
  return observation
}
