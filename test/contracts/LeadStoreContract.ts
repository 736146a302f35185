/**
 * What every store must do, whoever wrote it: run `leadStoreContract` over its layer. Generated histories go through the
 * use cases into the store and into the naive reference, and every answer must be the same to the byte.
 */
import {
  type Brand,
  type Deliveries,
  Directory,
  type Entropy,
  LeadQueries,
  leadDetailView,
  leadListJson,
  leadListView,
  LeadStore,
  NewSignal,
  Observing,
  Operating,
  Outbox,
  type Proposal,
  type RateWindows,
  Reading
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { Effect, Either, Layer, ManagedRuntime, Option, Schema } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { history, question, type Question, startOfHistories, type Step } from "./Histories.ts"
import { type Filter, ReferenceModel, type ReferenceSignal, type Seen } from "@lead-signals/simulations"
import { SettableClock } from "./SettableClock.ts"
import { turn } from "../Turn.ts"

export type Stores = LeadStore | Outbox | Deliveries | Directory | RateWindows

const signals: ReadonlyArray<typeof NewSignal.Encoded> = [
  {
    name: "Posts",
    signalType: "competitor-posts",
    source: { type: "li-company-url", value: "https://n.example/c", company: { id: 5, name: "Rival" } }
  },
  {
    name: "Mentions",
    signalType: "competitor-mentions",
    source: { type: "li-company-mention", value: "  Exactly This ", liCompanyId: "880" }
  },
  { name: "Words", signalType: "keywords", source: { type: "posts-with-keywords", value: "a, b" } },
  {
    name: "Profile",
    signalType: "profile",
    source: { type: "li-profile-url", value: "https://n.example/in/x" }
  }
]

const encode = (seen: Seen) => ({
  ...seen,
  engagement: {
    ...seen.engagement,
    trackedAt: seen.engagement.trackedAt === null ? null : new Date(seen.engagement.trackedAt).toISOString()
  },
  raw: { internal: "never shown" }
})

/** What the use case would commit of the observations, and does not. */
const proposalsOf = (brand: Brand, observations: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const proposals: Array<Proposal> = []
    const spy = LeadStore.of({
      ...(yield* LeadStore),
      commit: (_, given) => Effect.sync(() => void proposals.push(...given)).pipe(Effect.as([]))
    })
    yield* Observing.recordObservations(brand, observations).pipe(
      Effect.provideService(LeadStore, spy),
      Effect.sandbox,
      Effect.ignore
    )
    return proposals
  })

export const leadStoreContract = (
  name: string,
  layer: () => Layer.Layer<Stores, unknown>,
  runs: number
): void => {
  describe(`${name}: leads`, () => {
    let runtime: ManagedRuntime.ManagedRuntime<Stores | Entropy, unknown>
    const clock = new SettableClock(startOfHistories)
    const run = <A, E>(work: Effect.Effect<A, E, Stores | Entropy>): Promise<A> =>
      runtime.runPromise(clock.provide(work)).finally(turn)

    beforeAll(async () => {
      runtime = ManagedRuntime.make(Layer.merge(layer(), webCrypto))
      await runtime.runPromise(Effect.void)
    })
    afterAll(() => runtime.dispose())

    const setUp = Effect.gen(function* () {
      const brand = yield* Operating.createBrand("B")
      const made: Array<ReferenceSignal> = []
      for (const signal of signals) {
        const created = yield* Operating.createSignal(brand.id, Schema.decodeSync(NewSignal)(signal))
        made.push({ ...created, source: { ...created.source } })
      }
      return { brand, reference: new ReferenceModel(brand.id, made) }
    })

    type World = Effect.Effect.Success<typeof setUp>

    const play = (step: Step, { brand, reference }: World) =>
      Effect.gen(function* () {
        switch (step.step) {
          case "wait":
            clock.millis += step.millis
            return
          case "observe": {
            const all = step.seen.map(({ signal, ...seen }) => ({
              ...seen,
              signalId: reference.signals[signal]!.id
            }))
            const outcomes = yield* Observing.recordObservations(brand, all.map(encode))
            expect(outcomes).toHaveLength(all.length)
            all.forEach((seen, i) => {
              const { engagementId, leadId, outcome } = outcomes[i]!
              const expected = reference.observe(seen, clock.millis, () => leadId!)
              expect({ engagementId, outcome, leadId }).toEqual({
                engagementId: seen.engagement.id,
                ...expected
              })
            })
            return
          }
          case "amend": {
            const row = reference.rows[step.lead]
            if (row === undefined) return
            yield* Operating.amendLead(brand.id, row.id, step.change)
            reference.amend(row.id, step.change, clock.millis)
            return
          }
          case "erase": {
            const row = reference.rows[step.lead]
            if (row === undefined) return
            yield* Operating.eraseLead(brand, row.id)
            reference.erase(row.id, clock.millis)
            return
          }
        }
      })

    const filterOf = (asked: Question, reference: ReferenceModel): Filter => {
      const instants = reference.rows.flatMap((row) => [row.createdAt, row.updatedAt])
      const days = instants.map((instant) => Math.floor(instant / 86_400_000) * 86_400_000)
      const choices = [...instants, ...days, startOfHistories]
      const filter: Filter = { ...asked.flags }
      if (asked.signal !== null) filter.signalId = reference.signals[asked.signal]?.id ?? "999999999"
      if (asked.search !== null) filter.search = asked.search
      for (const { by, instant, name: bound } of asked.bounds)
        filter[bound] = choices[instant % choices.length]! + by
      return filter
    }

    const parametersOf = (filter: Filter, order: Question["order"]): Array<[string, string]> => [
      ...Object.entries(filter).map(([key, value]): [string, string] => [
        key,
        key.endsWith("After") || key.endsWith("Before")
          ? new Date(value as number).toISOString()
          : String(value)
      ]),
      ["sort", `${order.field}:${order.direction}`],
      ["page", String(order.page)],
      ["pageSize", String(order.pageSize)],
      ["includeEngagements", String(order.engagements !== "none")],
      ["includeEngagementDetail", String(order.engagements === "detailed")]
    ]

    const ask = (asked: Question, { brand, reference }: World) =>
      Effect.gen(function* () {
        const filter = filterOf(asked, reference)
        const query = Either.getOrThrow(LeadQueries.readList(parametersOf(filter, asked.order)))
        const answer = leadListView(query, yield* Reading.listLeads(brand.id, query))
        const expected = JSON.stringify(reference.list({ filter, ...asked.order }))
        expect(JSON.stringify(answer)).toBe(expected)
        expect(leadListJson(query, yield* Reading.showLeads(brand.id, query))).toBe(expected)
      })

    const checkDetails = ({ brand, reference }: World) =>
      Effect.gen(function* () {
        const store = yield* LeadStore
        for (const { engagements, id } of reference.rows) {
          for (const withDetail of [true, false]) {
            const detail = yield* Reading.leadDetail(brand.id, id, withDetail)
            const expected = JSON.stringify(reference.detail(id, withDetail))
            expect(detail).toBe(expected)
            expect(JSON.stringify(leadDetailView(detail))).toBe(expected)
          }
          const everything = yield* store.engagements(brand.id, id)
          expect(everything.map((read) => read.engagement.id).sort()).toEqual(
            engagements.map((e) => e.id).sort()
          )
        }
      })

    const checkEvents = (after: number, { reference }: World) =>
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const events = yield* outbox.after(after, 100_000)
        const ours = events.filter((event) => event.brandId === reference.brandId)
        expect(
          ours.map(({ position, ...event }) => (expect(position).toBeGreaterThan(after), event))
        ).toEqual(reference.events)
        return events.at(-1)?.position ?? after
      })

    it("answers as the reference does, to the byte, over generated histories [LIST-2, LIST-3, LIST-4, LIST-5, LIST-8, TIME-5, TIME-8, SORT-5, SORT-6, PAGE-1, PAGE-3, ENG-1, ENG-2, ENG-3, ENG-7, ENG-8, ENG-9, ENG-10, DET-1, DET-4, AUTH-3, EVT-2, EVT-3, EVT-8, PII-3]", async () => {
      let last = 0
      let questions = 0
      let windowsCut = 0
      await fc.assert(
        fc.asyncProperty(history, fc.array(question, { minLength: 12, maxLength: 12 }), (steps, asked) =>
          run(
            Effect.gen(function* () {
              clock.millis = startOfHistories
              const world = yield* setUp
              const neighbour = yield* setUp
              for (const step of steps) {
                yield* play(step, world)
                // A second brand with the same people and engagement ids: nothing may cross.
                if (step.step !== "erase") yield* play(step, neighbour)
              }
              for (const each of asked) yield* ask(each, world)
              questions += asked.length
              yield* checkDetails(world)
              windowsCut += world.reference.rows.filter((row) => row.engagements.length > 20).length
              last = yield* checkEvents(last, world)
            })
          )
        ),
        { numRuns: runs, endOnFailure: false }
      )
      expect(questions).toBe(runs * 12)
      expect(windowsCut).toBeGreaterThan(0)
    })

    it("pages without gaps and without repeats on quiet data, under every sort [SORT-5, PAGE-3]", () =>
      run(
        Effect.gen(function* () {
          clock.millis = startOfHistories
          const { brand, reference } = yield* setUp
          const seen = Array.from({ length: 120 }, (_, i) => ({
            signalId: reference.signals[0]!.id,
            person: { extId: `x${i}`, name: ["Same", "same", "Other"][i % 3] },
            engagement: { id: `x${i}` }
          }))
          yield* Observing.recordObservations(brand, seen)
          for (const sort of ["createdAt", "updatedAt", "score1", "name"]) {
            for (const direction of ["asc", "desc"]) {
              const ids: Array<number> = []
              for (let page = 1; page <= 19; page++) {
                const query = Either.getOrThrow(
                  LeadQueries.readList([
                    ["sort", `${sort}:${direction}`],
                    ["page", String(page)],
                    ["pageSize", "7"]
                  ])
                )
                const found = yield* Reading.listLeads(brand.id, query)
                expect(found.total).toBe(120)
                ids.push(...found.leads.map(({ lead }) => lead.id))
              }
              expect(ids).toHaveLength(120)
              expect(new Set(ids).size).toBe(120)
            }
          }
        })
      ))

    it("commits all of a batch or nothing, when deciding throws half way [EVT-3]", () =>
      run(
        Effect.gen(function* () {
          const { brand, reference } = yield* setUp
          const store = yield* LeadStore
          const outbox = yield* Outbox
          const before = (yield* outbox.after(0, 1_000_000)).length
          const seen = {
            signalId: reference.signals[0]!.id,
            person: { extId: "h", name: "H" },
            engagement: { id: "h1" }
          }
          const [first] = yield* Observing.recordObservations(brand, [seen])
          const more = ["h", "i"].map((extId) => ({
            ...seen,
            person: { extId, name: "New" },
            engagement: { id: `${extId}2` }
          }))
          const proposals = yield* proposalsOf(brand, more)
          const broken = {
            ...proposals[1]!,
            decide: () => {
              throw new Error("planted")
            }
          }
          const exit = yield* Effect.exit(
            store.commit(brand.id, [proposals[0]!, proposals[1]!, broken], () => "wh_unused")
          )
          expect(exit._tag).toBe("Failure")
          const found = leadDetailView(yield* Reading.leadDetail(brand.id, first!.leadId!, true))
          expect([found.name, found.engagements.length]).toEqual(["H", 1])
          expect((yield* outbox.after(0, 1_000_000)).length - before).toBe(2)
          const query = Either.getOrThrow(LeadQueries.readList([]))
          expect((yield* Reading.listLeads(brand.id, query)).total).toBe(1)
        })
      ))

    it("changes nothing when no id can be drawn, and forgets a signal that it took back [EVT-3]", () =>
      run(
        Effect.gen(function* () {
          const { brand, reference } = yield* setUp
          const store = yield* LeadStore
          const directory = yield* Directory
          yield* directory.createWebhook({
            brandId: brand.id,
            url: "https://r.example/",
            events: ["lead2.created", "activity.detected"],
            description: null,
            enabled: true,
            disabledReason: null,
            failingSince: null,
            secrets: { current: "whsec_AAAA", previous: null },
            createdAt: startOfHistories
          })
          const [first, second] = reference.signals.map(({ id }) => id)
          const seen = (extId: string, signalId: string, id: string) => ({
            signalId,
            person: { extId, name: "Named" },
            engagement: { id }
          })
          const [known] = yield* Observing.recordObservations(brand, [seen("k", first!, "k1")])
          const proposals = yield* proposalsOf(brand, [seen("n", first!, "n1"), seen("k", second!, "k2")])
          const unlucky = (): never => {
            throw new Error("planted")
          }
          const listed = (...given: ReadonlyArray<readonly [string, string]>) =>
            Effect.map(
              Reading.listLeads(brand.id, Either.getOrThrow(LeadQueries.readList(given))),
              ({ leads }) => leads.map(({ lead }) => lead.extId)
            )
          expect((yield* Effect.exit(store.commit(brand.id, [proposals[0]!], unlucky)))._tag).toBe("Failure")
          expect(yield* listed()).toEqual(["k"])
          let drawn = 0
          const outcomes = yield* store.commit(brand.id, [proposals[0]!], () => `wh_again_${++drawn}`)
          expect([outcomes[0]!.outcome, drawn]).toEqual(["recorded", 2])

          const broken = { ...proposals[1]!, engagementId: "k3", decide: unlucky }
          const exit = yield* Effect.exit(
            store.commit(brand.id, [proposals[1]!, broken], () => `wh_no_${++drawn}`)
          )
          expect(exit._tag).toBe("Failure")
          yield* store.erase(brand.id, known!.leadId!, "hash", () => `wh_no_${++drawn}`)
          expect(yield* listed(["signalId", second!], ["search", "named"])).toEqual([])
        })
      ))

    it("finds and sorts texts by Unicode's full case folding [LIST-4, SORT-6]", () =>
      run(
        Effect.gen(function* () {
          const { brand, reference } = yield* setUp
          const people = ["Zoë", "İstanbul Ada", "Straße 7", "Ο Σίσυφος", "straßburg"]
          yield* Observing.recordObservations(
            brand,
            people.map((name, i) => ({
              signalId: reference.signals[0]!.id,
              person: { extId: `p${i}`, name },
              engagement: { id: `e${i}` }
            }))
          )
          const listed = (...given: ReadonlyArray<readonly [string, string]>) =>
            Effect.map(
              Reading.listLeads(
                brand.id,
                Either.getOrThrow(LeadQueries.readList([...given, ["sort", "name:asc"]]))
              ),
              ({ leads }) => leads.map(({ lead }) => lead.profile.name)
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
            expect([search, yield* listed(["search", search])]).toEqual([search, found])
          }
          expect(yield* listed()).toEqual(["İstanbul Ada", "straßburg", "Straße 7", "Zoë", "Ο Σίσυφος"])
        })
      ))

    it("never gives a lead's id again, not after an erasure either [PII-3]", () =>
      run(
        Effect.gen(function* () {
          const { brand, reference } = yield* setUp
          const given: Array<number> = []
          for (const extId of ["a", "b", "c"]) {
            const [outcome] = yield* Observing.recordObservations(brand, [
              {
                signalId: reference.signals[0]!.id,
                person: { extId, name: extId },
                engagement: { id: extId }
              }
            ])
            given.push(outcome!.leadId!)
            yield* Operating.eraseLead(brand, outcome!.leadId!)
          }
          expect(new Set(given).size).toBe(3)
        })
      ))

    it("lets no two writers lose each other's change [EVT-3]", () =>
      run(
        Effect.gen(function* () {
          const { brand, reference } = yield* setUp
          const store = yield* LeadStore
          const seen = (id: number) => ({
            signalId: reference.signals[id % 4]!.id,
            person: { extId: "one", name: "One" },
            engagement: { id: `c${id}` }
          })
          const [first] = yield* Observing.recordObservations(brand, [seen(0)])
          const id = first!.leadId!
          yield* Effect.all(
            [
              ...Array.from({ length: 20 }, (_, i) => Observing.recordObservations(brand, [seen(i + 1)])),
              ...Array.from({ length: 20 }, () =>
                store.update(brand.id, id, (lead) => ({ ...lead, score1: (lead.score1 ?? 0) + 1 }))
              )
            ],
            { concurrency: "unbounded" }
          )
          const lead = Option.getOrThrow(yield* store.get(brand.id, id))
          expect(lead.score1).toBe(20)
          expect(lead.signalIds).toHaveLength(4)
          expect(yield* store.engagements(brand.id, id)).toHaveLength(21)
        })
      ))
  })
}
