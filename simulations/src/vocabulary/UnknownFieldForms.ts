/** Forms of observations with fields that the service does not take, and of what a request asks to be done about them. [OBS-11] */
import type { LineForm } from "./LineForms.ts"

// Observations are JSON of any shape.
type Json = any

/** The most unknown fields of one observation that are reported. */
const maxReported = 20

/** The most characters of a path that are reported; the rest is cut off. */
const maxPathLength = 200

const lines = "application/x-ndjson"
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The request with the observation changed, as JSON or as lines; the change may add to it alone. */
const changed =
  (change: (observation: Json) => Json, isLines: boolean) =>
  (json: string): Uint8Array => {
    const parsed: Json = JSON.parse(json)
    return utf8(
      isLines
        ? `${JSON.stringify(change(parsed))}\n`
        : JSON.stringify({ ...parsed, observations: parsed.observations.map(change) })
    )
  }

const named = (names: ReadonlyArray<string>): Json => Object.fromEntries(names.map((name) => [name, 1]))

const many = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, i) => `q${i + 1}q`)

const inPerson =
  (more: Json, company?: Json) =>
  (observation: Json): Json => ({
    ...observation,
    person: { ...observation.person, ...(company === undefined ? {} : { company }), ...more }
  })

const atTop =
  (more: Json) =>
  (observation: Json): Json => ({ ...observation, ...more })

const everywhere = ({ engagement, person, signalId }: Json): Json => ({
  first: { person: 1 },
  signalId,
  person: { headlin: "x", ...person, company: { id: 12, domainn: "x", employees: [{ a: 1 }] } },
  engagement: { ...engagement, typ: "x", postAuthorDetail: { nam: 1, extId: "author-of-probes" } },
  note: null
})

const prefix = "person."
/** As many characters as a path shows behind the prefix, of one UTF-16 unit or two. */
const longest = (character: string): string => character.repeat(maxPathLength - prefix.length)

interface Case {
  readonly name: string
  readonly change: (observation: Json) => Json
  /** The paths that are reported, in the order in which they stand in the observation. */
  readonly reported: ReadonlyArray<string>
  /** How the message of the rejection begins; null: it has no unknown field. */
  readonly rejected: string | null
}

const noField = (path: string, then: string): string => `${path} is not a field of an observation. ${then}`

const ofPerson = "person takes extId, name, headline, username, title1, liProfileUrl, profileImgUrl, company."

const cases: ReadonlyArray<Case> = [
  { name: "no unknown field", change: (observation) => observation, reported: [], rejected: null },
  {
    name: "unknown fields of each object",
    change: everywhere,
    reported: [
      "first",
      "person.headlin",
      "person.company.domainn",
      "person.company.employees",
      "engagement.typ",
      "engagement.postAuthorDetail.nam",
      "note"
    ],
    rejected: noField("first", "It takes signalId, person, engagement.")
  },
  {
    name: "a misspelt field of the person",
    change: inPerson({ headlin: "x" }),
    reported: ["person.headlin"],
    rejected: noField("person.headlin", 'Did you mean "headline"?')
  },
  {
    name: "a field of the person like none",
    change: inPerson({ qqqqqq: { qq: 1 } }),
    reported: ["person.qqqqqq"],
    rejected: noField("person.qqqqqq", ofPerson)
  },
  {
    name: "a misspelt field of the company",
    change: inPerson({}, { id: 12, dmain: "x" }),
    reported: ["person.company.dmain"],
    rejected: noField("person.company.dmain", 'Did you mean "domain"?')
  },
  {
    name: "as many unknown fields as are reported",
    change: atTop(named(many(maxReported))),
    reported: many(maxReported),
    rejected: noField("q1q", "It takes signalId, person, engagement.")
  },
  {
    name: "one unknown field more than is reported",
    change: (observation) => atTop({ note: 1 })(inPerson(named(many(maxReported)))(observation)),
    reported: many(maxReported).map((name) => prefix + name),
    rejected: noField("person.q1q", ofPerson)
  },
  {
    name: "the longest name of an unknown field",
    change: inPerson({ [longest("q")]: 1 }),
    reported: [prefix + longest("q")],
    rejected: noField(prefix + longest("q"), ofPerson)
  },
  {
    name: "a name of an unknown field that is one too long, beyond the BMP",
    change: inPerson({ [`${longest("\u{1d4b3}")}q`]: 1 }),
    reported: [prefix + longest("\u{1d4b3}")],
    rejected: noField(prefix + longest("\u{1d4b3}"), ofPerson)
  },
  {
    name: "unknown fields with names of an object's members",
    change: atTop({ constructor: 1, toString: 1, "": 1 }),
    reported: ["constructor", "toString", ""],
    rejected: "constructor is not a field of an observation."
  }
]

const formsOf = (isLines: boolean): ReadonlyArray<LineForm> => {
  const as = isLines ? { contentType: lines } : {}
  const how = isLines ? ", in lines" : ""
  return cases.flatMap(({ change, name, rejected, reported }): ReadonlyArray<LineForm> => {
    const base = { refusal: null, ...as, alters: change, bytes: changed(change, isLines) }
    return [
      { ...base, name: `${name}, reported${how}`, query: "unknownFields=report", reports: [reported] },
      { ...base, name: `${name}, ignored${how}`, query: "unknownFields=ignore", reports: [[]] },
      {
        ...base,
        name: `${name}, rejected${how}`,
        query: "unknownFields=reject",
        reports: [[]],
        ...(rejected === null ? {} : { rejections: [isLines ? `Line 1: ${rejected}` : rejected] })
      }
    ]
  })
}

/** Lines of which some are no observation: reports and rejections stand with their own. */
const mixed: ReadonlyArray<LineForm> = [
  {
    name: "lines that are no observations, reported",
    refusal: null,
    contentType: lines,
    query: "unknownFields=report",
    bytes: () => utf8('7\n{"note":1}\n{}\n{"person":{"extid":1}}\n'),
    reports: [[], ["note"], [], ["person.extid"]],
    rejections: ["Line 1 ", "Line 2: signalId", "Line 3: signalId", "Line 4: signalId"]
  },
  {
    name: "lines that are no observations, rejected",
    refusal: null,
    contentType: lines,
    query: "unknownFields=reject",
    bytes: () => utf8('{}\n{"note":1}\nx\n{"person":{"extid":1}}\n{"signalId":7}\n'),
    reports: [[], [], [], [], []],
    rejections: [
      "Line 1: signalId",
      "Line 2: note is not a field",
      "Line 3 ",
      'Line 4: person.extid is not a field of an observation. Did you mean "extId"?',
      "Line 5: signalId"
    ]
  }
]

/** All of them, of the call that records observations. */
export const unknownObservedForms: ReadonlyArray<LineForm> = [...formsOf(false), ...formsOf(true), ...mixed]
