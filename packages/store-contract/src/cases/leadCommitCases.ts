/** What every store must do with a commit of observations: all of it or nothing, alone, and with ids that were never given. */
import {
  type Brand,
  Deliveries,
  Leads,
  LeadStore,
  type Proposal,
  recordObservations
} from "@lead-signals/domain"
import { Effect, Exit, Option } from "effect"
import { assertEqual, assertThat } from "../Assertions.ts"
import { createLeadWorld, type LeadWorld, observationOf, queryOf } from "../LeadWorld.ts"
import { type Case, caseOf } from "../StoreUnderTest.ts"

/** What the use case would commit of the observations, and does not. */
const proposalsOf = (brand: Brand, observations: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const proposals: Array<Proposal> = []
    const spy = LeadStore.of({
      ...(yield* LeadStore),
      commit: (_, given) => Effect.sync(() => void proposals.push(...given)).pipe(Effect.as([]))
    })
    yield* recordObservations(brand, observations).pipe(
      Effect.provideService(LeadStore, spy),
      Effect.sandbox,
      Effect.ignore
    )
    return proposals
  })

const planted = (): never => {
  throw new Error("planted by the contract")
}

/** How many events wait for the world's webhook. */
const eventCount = ({ webhookId }: LeadWorld) =>
  Effect.flatMap(Deliveries, (deliveries) =>
    Effect.map(
      deliveries.list(webhookId, { state: null, page: { page: 1, pageSize: 1 } }),
      ({ total }) => total
    )
  )

/** Failed commits, concurrent ones, and ids that are never given again. [STORE-1, DEL-4, PII-3] */
export const leadCommitCases: ReadonlyArray<Case> = [
  caseOf("commits all of a batch or nothing, when deciding throws half way [STORE-1]", () =>
    Effect.gen(function* () {
      const world = yield* createLeadWorld
      const { brand } = world
      const store = yield* LeadStore
      const [first] = yield* recordObservations(brand, [
        { ...observationOf(world, "h", "h1"), person: { extId: "h", name: "H" } }
      ])
      const more = ["h", "i"].map((extId) => ({
        ...observationOf(world, extId, `${extId}2`),
        person: { extId, name: "New" }
      }))
      const proposals = yield* proposalsOf(brand, more)
      const broken = { ...proposals[1]!, decide: planted }
      let drawn = 0
      const exit = yield* Effect.exit(
        store.commit(brand.id, [proposals[0]!, proposals[1]!, broken], () => `wh_unused_${++drawn}`)
      )
      assertThat("LeadStore.commit must fail when a decision throws, and succeeded", Exit.isFailure(exit))
      const { engagements, lead } = Option.getOrThrow(yield* store.exportData(brand.id, first!.leadId!))
      const kept = {
        name: lead.profile.name,
        engagements: engagements.length,
        events: yield* eventCount(world),
        leads: (yield* Leads.list(brand.id, queryOf())).total
      }
      assertEqual("LeadStore.commit, what is kept after a batch that failed", kept, {
        name: "H",
        engagements: 1,
        events: 2,
        leads: 1
      })
    })
  ),

  caseOf("changes nothing when no id can be drawn, and forgets a signal that it took back [STORE-1]", () =>
    Effect.gen(function* () {
      const world = yield* createLeadWorld
      const { brand, reference } = world
      const store = yield* LeadStore
      const [known] = yield* recordObservations(brand, [observationOf(world, "k", "k1")])
      const proposals = yield* proposalsOf(brand, [
        observationOf(world, "n", "n1"),
        observationOf(world, "k", "k2", 1)
      ])
      const listed = (...given: ReadonlyArray<readonly [string, string]>) =>
        Effect.map(Leads.list(brand.id, queryOf(...given)), ({ leads }) =>
          leads.map(({ lead }) => lead.extId)
        )
      const refused = yield* Effect.exit(store.commit(brand.id, [proposals[0]!], planted))
      assertThat("LeadStore.commit must fail when `ids` throws, and succeeded", Exit.isFailure(refused))
      assertEqual("LeadStore.list after a commit for which `ids` threw", yield* listed(), ["k"])
      let drawn = 0
      const outcomes = yield* store.commit(brand.id, [proposals[0]!], () => `wh_again_${++drawn}`)
      assertEqual(
        "LeadStore.commit, outcome and ids drawn for the two events of a new lead with one webhook",
        [outcomes[0]!.outcome, drawn],
        ["recorded", 2]
      )

      const broken = { ...proposals[1]!, engagementId: "k3", decide: planted }
      const exit = yield* Effect.exit(
        store.commit(brand.id, [proposals[1]!, broken], () => `wh_no_${++drawn}`)
      )
      assertThat("LeadStore.commit must fail when a decision throws, and succeeded", Exit.isFailure(exit))
      yield* store.erase(brand.id, known!.leadId!, "hash", () => `wh_no_${++drawn}`)
      assertEqual(
        "LeadStore.list of a signal whose only engagement was taken back",
        yield* listed(["signalId", reference.signals[1]!.id], ["search", "person"]),
        []
      )
    })
  ),

  caseOf("lets no two writers lose each other's change [STORE-1]", () =>
    Effect.gen(function* () {
      const world = yield* createLeadWorld
      const { brand } = world
      const store = yield* LeadStore
      const [first] = yield* recordObservations(brand, [observationOf(world, "one", "c0")])
      const id = first!.leadId!
      yield* Effect.all(
        [
          ...Array.from({ length: 20 }, (_, i) =>
            recordObservations(brand, [observationOf(world, "one", `c${i + 1}`, (i + 1) % 4)])
          ),
          ...Array.from({ length: 20 }, () =>
            store.update(brand.id, id, (lead) => ({ ...lead, score1: (lead.score1 ?? 0) + 1 }))
          )
        ],
        { concurrency: "unbounded" }
      )
      const { engagements, lead } = Option.getOrThrow(yield* store.exportData(brand.id, id))
      assertEqual(
        "LeadStore, after 20 commits and 20 updates of one lead at once",
        { score1: lead.score1, signals: lead.signalIds.length, engagements: engagements.length },
        { score1: 20, signals: 4, engagements: 21 }
      )
    })
  ),

  caseOf("never gives a lead's id again, not after an erasure either [DEL-4, PII-3]", () =>
    Effect.gen(function* () {
      const world = yield* createLeadWorld
      const given: Array<number> = []
      for (const extId of ["a", "b", "c"]) {
        const [outcome] = yield* recordObservations(world.brand, [observationOf(world, extId, extId)])
        given.push(outcome!.leadId!)
        yield* Leads.erase(world.brand, outcome!.leadId!)
      }
      assertEqual(
        `LeadStore.commit, different ids among those of three leads (${given.join(", ")})`,
        new Set(given).size,
        3
      )
    })
  )
]
