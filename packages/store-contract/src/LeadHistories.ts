/** Histories of a brand and queries over it, drawn so that ties, edges and odd texts are common. */
import fc from "fast-check"
import type { Seen } from "./reference/ReferenceLead.ts"
import type { Filter, Query } from "./reference/ReferenceQuery.ts"

/** When histories begin: near midnight UTC, so that days change within a history. */
export const startOfHistories = Date.UTC(2026, 2, 30, 22)

const names = [
  "Anna",
  "ANNA",
  "anna lee",
  "Ångström",
  "A\u030angstro\u0308m",
  "ångström",
  "ﬁona",
  "Fiona",
  "ΟΔΥΣΣΕΥΣ",
  "Οδυσσευς",
  "İpek",
  "Straße",
  "STRASSE",
  "😀 Zed",
  "ｚed",
  "\uffeeZed",
  "𐐀lf",
  "a%b",
  "a_b",
  "quo\"te's",
  "back\\slash",
  "Ｆｕｌｌ Ｗｉｄｅ",
  "x",
  "李小龍",
  "NULL * OR 1=1"
]

const text = fc.oneof(
  fc.constantFrom(...names),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }).map((t) => t.replaceAll("\u0000", "") || "z")
)

const company = fc.constantFrom(
  null,
  { id: 12, name: "Northwind", domain: "n.example", staffCount: 12.5 },
  { id: 12, name: "Northwind Ltd" },
  { id: 3, name: null, industry: "Foods" }
)

const people = ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"]

const seen: fc.Arbitrary<Seen & { signal: number }> = fc
  .record({
    signal: fc.constantFrom(0, 0, 0, 1, 1, 2, 3),
    person: fc.record({
      extId: fc.constantFrom("p1", "p1", "p1", ...people),
      name: text,
      headline: fc.option(text),
      username: fc.constantFrom(null, "u1", "u2"),
      company
    }),
    engagement: fc.record({
      id: fc.nat(400).map((n) => `e${n}`),
      type: fc.constantFrom(null, "comment", "reaction", "repost"),
      reactionType: fc.constantFrom(null, "LIKE"),
      commentText: fc.constantFrom(null, "plain words"),
      postUrl: fc.constantFrom(null, "https://n.example/1"),
      postAuthor: fc.constantFrom(null, "Bo"),
      postAuthorDetail: fc.oneof(
        fc.constant(null),
        fc.record({ extId: fc.constantFrom(null, "q1", ...people), name: fc.constantFrom(null, "Bo") })
      ),
      trackedAt: fc.constantFrom(null, startOfHistories, startOfHistories + 1, startOfHistories - 5000)
    })
  })
  .map((drawn) => ({ ...drawn, signalId: "" }))

/**
 * One step of a history. Signals and leads are named by their place in the order of creation; a step about a lead
 * that is not there does nothing.
 */
export type Step =
  /** Moves the clock by so many milliseconds; a negative number sets it back. */
  | { readonly step: "wait"; readonly millis: number }
  /** Commits 1 to 14 observations at once; `signal` is the place of the one that caught each. */
  | { readonly step: "observe"; readonly seen: ReadonlyArray<Seen & { signal: number }> }
  /** Sets flags and score of a lead. */
  | {
      readonly step: "amend"
      readonly lead: number
      readonly change: {
        qualified?: boolean
        exported?: boolean
        isEmployee?: boolean
        score1?: number | null
      }
    }
  /** Erases a lead. */
  | { readonly step: "erase"; readonly lead: number }

const hour = 3_600_000

const change = fc.record(
  {
    qualified: fc.boolean(),
    exported: fc.boolean(),
    isEmployee: fc.boolean(),
    score1: fc.constantFrom(null, 0, 1, 2.5, -3)
  },
  { requiredKeys: [] }
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      step: fc.constant("wait" as const),
      millis: fc.constantFrom(0, 1, hour, 3 * hour, 26 * hour, -hour)
    })
  },
  {
    weight: 6,
    arbitrary: fc.record({
      step: fc.constant("observe" as const),
      seen: fc.array(seen, { minLength: 1, maxLength: 14 })
    })
  },
  { weight: 3, arbitrary: fc.record({ step: fc.constant("amend" as const), lead: fc.nat(9), change }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant("erase" as const), lead: fc.nat(9) }) }
)

/** A history of 3 to 14 steps. */
export const history: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(step, {
  minLength: 3,
  maxLength: 14,
  size: "max"
})

/** A query over a history before its instants are known: bounds are picked from those. */
export interface HistoryQuery {
  /** The filters by flag; empty in about two of three queries. */
  readonly flags: Pick<Filter, "qualified" | "exported" | "isEmployee">
  /** The place of a signal in the order of creation, 9 for one that does not exist; null: no such filter. */
  readonly signal: number | null
  /**
   * Bounds of time, each at `by` milliseconds beside the instant at this place, modulo the number of instants. At
   * most three.
   */
  readonly bounds: ReadonlyArray<{
    readonly name: "createdAfter" | "createdBefore" | "updatedAfter" | "updatedBefore"
    readonly instant: number
    readonly by: number
  }>
  /** A part of a name as a client types it; null: no such filter. */
  readonly search: string | null
  /** The order, the page and the engagements. */
  readonly order: Pick<Query, "field" | "direction" | "page" | "pageSize" | "engagements">
}

const part = fc
  .record({
    of: fc.oneof(fc.constantFrom(...names), text),
    from: fc.nat(6),
    length: fc.integer({ min: 1, max: 5 }),
    upper: fc.boolean()
  })
  .map(({ from, length, of, upper }) => {
    const characters = Array.from(of)
    const at = from % characters.length
    const cut = characters.slice(at, at + length).join("")
    return upper ? cut.toUpperCase() : cut
  })

/** A query over a history. */
export const historyQuery: fc.Arbitrary<HistoryQuery> = fc.record({
  flags: fc
    .record(
      { qualified: fc.boolean(), exported: fc.boolean(), isEmployee: fc.boolean() },
      { requiredKeys: [] }
    )
    .chain((flags) => fc.constantFrom({}, {}, flags)),
  signal: fc.constantFrom(null, null, 0, 1, 2, 3, 9),
  bounds: fc.oneof(
    { weight: 2, arbitrary: fc.constant<HistoryQuery["bounds"]>([]) },
    {
      weight: 3,
      arbitrary: fc.uniqueArray(
        fc.record({
          name: fc.constantFrom(
            "createdAfter" as const,
            "createdBefore" as const,
            "updatedAfter" as const,
            "updatedBefore" as const
          ),
          instant: fc.nat(1000),
          by: fc.constantFrom(0, 0, 0, -1, 1)
        }),
        { selector: ({ name }) => name, maxLength: 3 }
      )
    }
  ),
  search: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 2, arbitrary: part }),
  order: fc.record({
    field: fc.constantFrom("createdAt", "updatedAt", "score1", "name"),
    direction: fc.constantFrom("asc", "desc"),
    page: fc.constantFrom(1, 1, 1, 2, 3, 50),
    pageSize: fc.constantFrom(1, 2, 3, 25),
    engagements: fc.constantFrom("none", "plain", "detailed")
  })
})
