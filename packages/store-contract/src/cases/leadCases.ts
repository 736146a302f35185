/** What every store must do with leads, their engagements and their events. */
import {
  type Brand,
  Brands,
  type ChangePosition,
  Deliveries,
  LeadQueries,
  Leads,
  LeadStore,
  type Proposal,
  recordObservations,
  removedLeadMillis,
  RenderedLeads
} from "@lead-signals/domain"
import { Effect, Either, Exit, Option } from "effect"
import fc from "fast-check"
import { assertEqual, assertThat } from "../Assertions.ts"
import { ChangeCopy } from "../ChangeCopy.ts"
import { checkFeed } from "../EventFeed.ts"
import { checkCounts } from "../IntervalCounts.ts"
import { playHistories } from "../GeneratedHistories.ts"
import { history, historyQuery, startOfHistories } from "../LeadHistories.ts"
import {
  checkChanges,
  checkDetails,
  checkEvents,
  checkList,
  createLeadWorld,
  endLeadWorld,
  type LeadWorld,
  playStep
} from "../LeadWorld.ts"
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

const queryOf = (...parameters: ReadonlyArray<readonly [string, string]>) =>
  Either.getOrThrow(LeadQueries.readList(parameters))

/** How many events wait for the world's webhook. */
const eventCount = ({ webhookId }: LeadWorld) =>
  Effect.flatMap(Deliveries, (deliveries) =>
    Effect.map(
      deliveries.list(webhookId, { state: null, page: { page: 1, pageSize: 1 } }),
      ({ total }) => total
    )
  )

const observationOf = ({ reference }: LeadWorld, extId: string, id: string, signal = 0) => ({
  signalId: reference.signals[signal]!.id,
  person: { extId, name: `Person ${extId}` },
  engagement: { id }
})

const agreesWithReference: Case = {
  title:
    "answers as the reference does, to the byte, over generated histories [LIST-2, LIST-3, LIST-4, LIST-5, LIST-8, TIME-5, TIME-8, SORT-5, SORT-6, PAGE-1, PAGE-3, ENG-1, ENG-2, ENG-3, ENG-7, ENG-8, ENG-9, ENG-10, DET-1, DET-4, AUTH-3, EVT-2, EVT-3, EVT-8, LIVE-1, SERIES-5, PII-3, CHG-1, CHG-3]",
  run: async (open) => {
    const { clock, store } = open
    const situations = new Set<string>()
    const drawn = fc.record({
      steps: history,
      queries: fc.array(historyQuery, { minLength: 12, maxLength: 12 })
    })
    await playHistories(
      store,
      store.leadHistories ?? 100,
      drawn,
      ({ steps }) => steps,
      ({ queries, steps }) =>
        open.run(
          Effect.gen(function* () {
            clock.millis = startOfHistories
            const world = yield* createLeadWorld
            const neighbour = yield* createLeadWorld
            const copy = new ChangeCopy(world.brand.id, "none")
            const windowed = new ChangeCopy(world.brand.id, "plain")
            for (const [i, step] of steps.entries()) {
              yield* playStep(step, world, clock)
              // Readers that look after every third step, with pages of one and of two.
              if (i % 3 === 0) yield* copy.sync(1)
              if (i % 3 === 1) yield* windowed.sync(2)
              // A second brand with the same people and engagement ids: nothing may cross.
              if (step.step !== "erase") yield* playStep(step, neighbour, clock)
            }
            for (const each of queries) yield* checkList(each, world)
            yield* checkDetails(world)
            yield* checkEvents(world, clock)
            yield* checkChanges([copy, windowed], 3, world)
            yield* checkFeed(world)
            yield* checkFeed(neighbour)
            yield* checkCounts(world)
            yield* endLeadWorld(world)
            yield* endLeadWorld(neighbour)
            if (world.reference.rows.some(({ engagements }) => engagements.length > 20))
              situations.add("a window was full")
          })
        )
    )
    store.onCoverage?.(situations)
  }
}

const survivesReopening: Case = {
  title: "keeps all of a history when it is closed and opened again at any step [STORE-2, EVT-3, PII-3]",
  reopens: true,
  run: async (open) => {
    const { clock, store } = open
    await playHistories(
      store,
      Math.ceil((store.leadHistories ?? 100) / 10),
      fc.record({
        steps: history,
        reopenAfter: fc.nat(3),
        queries: fc.array(historyQuery, { minLength: 6, maxLength: 6 })
      }),
      ({ reopenAfter, steps }) =>
        steps.flatMap((step, i) => (i === reopenAfter ? [step, { step: "reopen" }] : [step])),
      async ({ queries, reopenAfter, steps }) => {
        clock.millis = startOfHistories
        const world = await open.run(createLeadWorld)
        for (const [i, step] of steps.entries()) {
          await open.run(playStep(step, world, clock))
          if (i === reopenAfter) await open.reopen()
        }
        await open.reopen()
        await open.run(
          Effect.gen(function* () {
            for (const each of queries) yield* checkList(each, world)
            yield* checkDetails(world)
            yield* checkEvents(world, clock)
            yield* endLeadWorld(world)
          })
        )
      }
    )
  }
}

export const leadCases: ReadonlyArray<Case> = [
  agreesWithReference,
  survivesReopening,

  caseOf("pages without gaps and without repeats on quiet data, under every sort [SORT-5, PAGE-3]", () =>
    Effect.gen(function* () {
      const { brand, reference } = yield* createLeadWorld
      const seen = Array.from({ length: 120 }, (_, i) => ({
        signalId: reference.signals[0]!.id,
        person: { extId: `x${i}`, name: ["Same", "same", "Other"][i % 3] },
        engagement: { id: `x${i}` }
      }))
      yield* recordObservations(brand, seen)
      for (const field of ["createdAt", "updatedAt", "score1", "name"]) {
        for (const direction of ["asc", "desc"]) {
          const sort = `${field}:${direction}`
          const ids: Array<number> = []
          for (let page = 1; page <= 19; page++) {
            const query = queryOf(["sort", sort], ["page", String(page)], ["pageSize", "7"])
            const found = yield* Leads.list(brand.id, query)
            assertEqual(`LeadStore.list, total of page ${page} under ${sort}`, found.total, 120)
            ids.push(...found.leads.map(({ lead }) => lead.id))
          }
          assertEqual(
            `LeadStore.list, leads and different leads on all pages under ${sort}`,
            [ids.length, new Set(ids).size],
            [120, 120]
          )
        }
      }
    })
  ),

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

  caseOf("finds and sorts texts by Unicode's full case folding [LIST-4, SORT-6]", () =>
    Effect.gen(function* () {
      const { brand, reference } = yield* createLeadWorld
      const names = ["Zoë", "İstanbul Ada", "Straße 7", "Ο Σίσυφος", "straßburg"]
      yield* recordObservations(
        brand,
        names.map((name, i) => ({
          signalId: reference.signals[0]!.id,
          person: { extId: `p${i}`, name },
          engagement: { id: `e${i}` }
        }))
      )
      const listed = (...given: ReadonlyArray<readonly [string, string]>) =>
        Effect.map(Leads.list(brand.id, queryOf(...given, ["sort", "name:asc"])), ({ leads }) =>
          leads.map(({ lead }) => lead.profile.name)
        )
      const searches: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["strasse", ["Straße 7"]],
        ["STRASS", ["straßburg", "Straße 7"]],
        ["ß", ["straßburg", "Straße 7"]],
        ["istanbul", ["İstanbul Ada"]],
        ["İSTANBUL", ["İstanbul Ada"]],
        ["is", ["İstanbul Ada"]],
        ["ΣΊΣΥΦΟΣ", ["Ο Σίσυφος"]],
        ["σίσυφος", ["Ο Σίσυφος"]],
        ["ος", ["Ο Σίσυφος"]]
      ]
      for (const [search, found] of searches) {
        assertEqual(`LeadStore.list, names found by ${search}`, yield* listed(["search", search]), found)
      }
      assertEqual("LeadStore.list, names in order of name:asc", yield* listed(), [
        "İstanbul Ada",
        "straßburg",
        "Straße 7",
        "Zoë",
        "Ο Σίσυφος"
      ])
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
  ),

  caseOf("lists the posts that a lead wrote and others engaged with, each once, for an export [PII-5]", () =>
    Effect.gen(function* () {
      const world = yield* createLeadWorld
      const { brand } = world
      const store = yield* LeadStore
      const post = (postUrl: string, author: string) => ({
        postUrl,
        postAuthor: "Ada",
        postAuthorDetail: { extId: author, name: "Ada" }
      })
      const of = (extId: string, id: string, url: string, author: string) => {
        const observation = observationOf(world, extId, id)
        return { ...observation, engagement: { id, ...post(url, author) } }
      }
      const [ada] = yield* recordObservations(brand, [
        observationOf(world, "ada", "a1"),
        of("bo", "b1", "https://n.example/1", "ada"),
        of("cy", "c1", "https://n.example/1", "ada"),
        of("bo", "b2", "https://n.example/2", "ada"),
        of("bo", "b3", "https://n.example/3", "somebody")
      ])
      const other = yield* Brands.create("Other")
      const urls = (of: Brand) =>
        Effect.map(
          store.exportData(of.id, ada!.leadId!),
          Option.map(({ posts }) => posts.map(({ postUrl }) => postUrl).sort())
        )
      const what = "LeadStore.exportData, addresses of the posts"
      const both = ["https://n.example/1", "https://n.example/2"]
      assertEqual(what, Option.getOrNull(yield* urls(brand)), both)
      assertEqual(`${what} of another brand's lead`, Option.getOrNull(yield* urls(other)), null)
      yield* Leads.erase(brand, ada!.leadId!)
      assertEqual(`${what} of an erased lead`, Option.getOrNull(yield* urls(brand)), null)
    })
  ),

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
  )
]
