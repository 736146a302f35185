/** What every store must tell a reader of the feed of changes, beside what generated histories show. */
import {
  Brands,
  type ChangePosition,
  Leads,
  LeadStore,
  recordObservations,
  removedLeadMillis,
  RenderedLeads
} from "@lead-signals/domain"
import { Effect } from "effect"
import { assertEqual, assertThat } from "../Assertions.ts"
import { ChangeCopy } from "../ChangeCopy.ts"
import { createLeadWorld, observationOf, queryOf } from "../LeadWorld.ts"
import { type Case, caseOf } from "../StoreUnderTest.ts"

/** Reads beside many writers, removals for 90 days, and positions that no read can go on from. [CHG-1 … CHG-5] */
export const changeFeedCases: ReadonlyArray<Case> = [
  caseOf("lets a reader of changes miss nothing while many write [CHG-1]", () =>
    Effect.gen(function* () {
      const world = yield* createLeadWorld
      const { brand } = world
      const store = yield* LeadStore
      const copy = new ChangeCopy(brand.id)
      const persons = Array.from({ length: 6 }, (_, i) => `w${i}`)
      const reading = Effect.unsafeMakeSemaphore(1).withPermits(1)(copy.sync(2))
      yield* Effect.forEach(
        persons,
        (extId, person) =>
          Effect.gen(function* () {
            for (let i = 0; i < 8; i++) {
              const [seen] = yield* recordObservations(brand, [observationOf(world, extId, `${extId}-${i}`)])
              if (i % 3 === 1)
                yield* store.update(brand.id, seen!.leadId!, (lead) => ({ ...lead, score1: i }))
              // The others write meanwhile.
              yield* reading
              if (i !== 5 || person % 3 !== 0) continue
              yield* Leads.erase(brand, seen!.leadId!)
              return
            }
          }),
        { concurrency: "unbounded" }
      )
      yield* copy.sync(2)
      const { leads } = yield* Leads.list(brand.id, queryOf(["pageSize", "100"]))
      assertEqual("LeadStore.list, leads that are left", leads.length, 4)
      yield* copy.check(
        "the copy that LeadStore.changesAfter gives among writers",
        new Map(leads.map(({ lead }) => [lead.id, RenderedLeads.renderLead(lead)]))
      )
    })
  ),

  caseOf(
    "gives a reader of changes the engagements of each lead, and none unless it asks for them [CHG-1]",
    () =>
      Effect.gen(function* () {
        const world = yield* createLeadWorld
        const store = yield* LeadStore
        const observations = ["p-1", "p-2", "q-1"].map((id) => observationOf(world, id.slice(0, 1), id))
        yield* recordObservations(world.brand, observations)
        const idsOf = (engagements: "none" | "plain") =>
          Effect.map(store.changesAfter(world.brand.id, null, { limit: 10, engagements }), (page) =>
            page.isExpired
              ? null
              : page.changes.map((change) =>
                  change.type === "removed"
                    ? null
                    : (change.read.window?.engagements.map(({ engagement }) => engagement.id).sort() ?? null)
                )
          )
        assertEqual("LeadStore.changesAfter with engagements", yield* idsOf("plain"), [
          ["p-1", "p-2"],
          ["q-1"]
        ])
        assertEqual("LeadStore.changesAfter without engagements", yield* idsOf("none"), [null, null])
      })
  ),

  caseOf("tells removals for 90 days, and then that a reader must begin anew [CHG-3, CHG-5]", (clock) =>
    Effect.gen(function* () {
      const world = yield* createLeadWorld
      const { brand } = world
      const outcomes = yield* recordObservations(
        brand,
        ["a", "b", "c", "d"].map((extId) => observationOf(world, extId, `90-${extId}`))
      )
      const ids = outcomes.map(({ leadId }) => leadId!)
      const [early, late, quiet] = [0, 0, 0].map(() => new ChangeCopy(brand.id))
      for (const copy of [early!, late!]) yield* copy.sync(10)
      const removed = clock.millis
      yield* Leads.erase(brand, ids[0]!)
      yield* late!.sync(10)
      clock.millis += removedLeadMillis
      yield* Leads.erase(brand, ids[1]!)
      assertEqual("a reader of before a removal, after 90 days", yield* early!.isExpired, false)
      clock.millis += 1
      yield* Leads.erase(brand, ids[2]!)
      assertEqual("a reader of before a removal, after more than 90 days", yield* early!.isExpired, true)
      assertEqual("a reader of after it", yield* late!.isExpired, false)
      assertEqual("LeadStore.changesAfter, all changes", yield* quiet!.sync(1), [
        { id: ids[3]!, removedAt: null },
        { id: ids[1]!, removedAt: removed + removedLeadMillis },
        { id: ids[2]!, removedAt: clock.millis }
      ])
    })
  ),

  caseOf("tells expired of another history, of the future, and nothing of other brands [CHG-4, CHG-5]", () =>
    Effect.gen(function* () {
      const world = yield* createLeadWorld
      const store = yield* LeadStore
      yield* recordObservations(world.brand, [observationOf(world, "p", "other-1")])
      const other = yield* Brands.create("Other")
      const read = (after: ChangePosition | null, brandId = world.brand.id) =>
        store.changesAfter(brandId, after, { limit: 10, engagements: "none" })
      const none = yield* read(null, other.id)
      assertEqual("LeadStore.changesAfter of another brand", none.isExpired ? null : none.changes, [])
      const page = yield* read(null)
      assertThat("LeadStore.changesAfter from the beginning is not expired", !page.isExpired)
      if (page.isExpired) return
      const { epoch, position, since } = page.next
      const isExpired = (after: ChangePosition) => Effect.map(read(after), (found) => found.isExpired)
      assertEqual("at the end", yield* isExpired({ epoch, position, since }), false)
      assertEqual("in another history", yield* isExpired({ epoch: `${epoch}x`, position, since }), true)
      assertEqual("in the future", yield* isExpired({ epoch, position: position + 1_000_000, since }), true)
      const unknown = yield* read(null, "999999999")
      assertEqual("of an unknown brand", unknown.isExpired ? null : unknown.changes, [])
    })
  )
]
