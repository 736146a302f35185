/** What every store must do so that nothing of one brand reaches another. */
import { LeadQueries, Leads, LeadStore, recordObservations } from "@lead-signals/domain"
import { Effect, Either, Option } from "effect"
import { assertEqual } from "../Assertions.ts"
import { createLeadWorld, type LeadWorld } from "../LeadWorld.ts"
import { type Case, caseOf } from "../StoreUnderTest.ts"

/** A person of each name, seen once. */
const observe = ({ brand, reference }: LeadWorld, ...names: ReadonlyArray<string>) =>
  recordObservations(
    brand,
    names.map((name) => ({
      signalId: reference.signals[0]!.id,
      person: { extId: name, name },
      engagement: { id: `of ${name}` }
    }))
  )

const queries = [[], [["includeEngagements", "true"]], [["search", "bo"]]] as const

/** Two brands that read and record alike: neither is answered from what the other read. [AUTH-3, DET-3] */
export const brandCases: ReadonlyArray<Case> = [
  caseOf("shows each brand its own leads, whichever brand read the same before [AUTH-3, DET-3]", () =>
    Effect.gen(function* () {
      const [one, two] = yield* Effect.all([createLeadWorld, createLeadWorld])
      const names = new Map([
        [one, ["Ada", "Bo"]],
        [two, ["Bob", "Cy", "Di"]]
      ])
      for (const [world, those] of names) yield* observe(world, ...those)
      // Nothing is written between the reads: whatever a store keeps of them stays valid.
      for (const given of queries) {
        const query = Either.getOrThrow(LeadQueries.readList(given))
        for (const world of [one, two, one]) {
          const { id } = world.brand
          const expected = names
            .get(world)!
            .filter((name) => query.filter.search === undefined || name.startsWith("Bo"))
          const page = yield* Leads.list(id, query)
          const what = `of a brand, after the same of another, for ${JSON.stringify(given)}`
          const found = page.leads.map(({ lead }) => lead.profile.name).sort()
          assertEqual(
            `LeadStore.list ${what}`,
            { total: page.total, found },
            { total: expected.length, found: expected }
          )
          const rendered = yield* Leads.listRendered(id, query)
          const listed = rendered.leads.map((json) => String(JSON.parse(json).name)).sort()
          assertEqual(
            `LeadStore.listRendered ${what}`,
            { total: rendered.total, listed },
            { total: expected.length, listed: expected }
          )
        }
      }
      const store = yield* LeadStore
      const { leads } = yield* Leads.list(one.brand.id, Either.getOrThrow(LeadQueries.readList([])))
      for (const { lead } of leads) {
        for (const engagements of ["plain", "detailed"] as const) {
          for (const [world, isFound] of [
            [one, true],
            [two, false],
            [one, true]
          ] as const) {
            const { id } = world.brand
            const read = yield* store.get(id, lead.id, engagements)
            const what = isFound ? "of a lead" : "of another brand's lead"
            assertEqual(`LeadStore.get ${what}`, Option.isSome(read), isFound)
            const rendered = yield* Effect.either(Leads.getRendered(id, lead.id, engagements))
            assertEqual(`LeadStore.getRendered ${what}`, Either.isRight(rendered), isFound)
          }
        }
      }
    })
  ),

  caseOf("records no observation of another brand's signal [AUTH-3]", () =>
    Effect.gen(function* () {
      const [one, two] = yield* Effect.all([createLeadWorld, createLeadWorld])
      const [crossed] = yield* observe({ ...one, reference: two.reference }, "Ada")
      assertEqual(
        "LeadStore.commit of another brand's signal",
        { outcome: crossed!.outcome, leadId: crossed!.leadId },
        { outcome: "rejected", leadId: null }
      )
      for (const { brand } of [one, two]) {
        const { total } = yield* Leads.list(brand.id, Either.getOrThrow(LeadQueries.readList([])))
        assertEqual("LeadStore.list, total after it", total, 0)
      }
      const [own] = yield* observe(one, "Ada")
      assertEqual("LeadStore.commit of the brand's own signal", own!.outcome, "recorded")
    })
  )
]
