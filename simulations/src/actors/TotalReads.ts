/** A list is counted again and again while its brand gets leads that belong to it. */
import { Effect } from "effect"
import type { PlannedQuery, Sighting } from "../plan/Plan.ts"
import { engagementIdOf, extIdOf } from "../plan/Sightings.ts"
import { caller, type Inspect } from "./OperatorCalls.ts"
import { observe } from "./People.ts"
import { page } from "./Readers.ts"

const rounds = 3
/** Leads that come between two lists, each by a commit of its own: of several processes another one may make the second. */
const leadsOfRound = 3

/** The numbers of these people and their engagements: nobody else has them. */
const firstPerson = 700_000
const firstEngagement = 7_000_000

/** New leads belong to it. A store remembers how many a search finds, and may move that on by what has changed since. [PAGE-1] */
const newcomers: PlannedQuery = {
  signal: null,
  flags: { qualified: false, exported: false },
  search: "-new",
  bounds: [],
  field: "createdAt",
  direction: "desc",
  page: 1,
  pageSize: 1,
  engagements: "none"
}

/** Nothing else that it does reads leads between its lists. */
export const recount: Inspect = (context, by, brand, { n }) =>
  Effect.gen(function* () {
    const of = caller(by)
    yield* page(context, of("newcomers"), brand, newcomers)
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < leadsOfRound; i++) {
        const number = (n * rounds + round) * leadsOfRound + i
        const seen: Sighting = {
          signal: 0,
          person: {
            extId: extIdOf(brand.index, firstPerson + number),
            name: `Name of b${brand.index}-new${i}.`
          },
          engagement: { id: engagementIdOf(brand.index, firstEngagement + number), type: "reaction" }
        }
        yield* observe(context, of(`seen ${round} ${i}`), brand, [seen], { isNew: true })
      }
      yield* page(context, of(`newcomers ${round}`), brand, newcomers)
    }
    context.facts.coverageMarks.add("a list was counted again after further leads")
  })
