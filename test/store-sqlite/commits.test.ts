/** Writes that wait at the same time share a commit, and with it one wait for the disk; nobody notices but by the speed. */
import {
  Brands,
  LeadQueries,
  Leads,
  LeadStore,
  type Proposal,
  recordObservations,
  Signals
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Either, Exit, Fiber, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"

const counted = async <A>(
  work: (commits: () => number) => Effect.Effect<A, unknown, any>,
  ticks: SqliteStore.TickScheduler.TickScheduler = SqliteStore.TickScheduler.ofEventLoop
): Promise<A> => {
  let commits = 0
  const store = SqliteStore.layer({
    filename: emptyStoreFile(),
    groupMillis: Number.POSITIVE_INFINITY,
    ticks,
    beforeCommit: () => {
      commits++
    }
  })
  return Effect.runPromise(
    work(() => commits).pipe(Effect.provide(Layer.merge(store, webCrypto))) as Effect.Effect<A, unknown>
  )
}

const setUp = Effect.gen(function* () {
  const brand = yield* Brands.create("B")
  const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
  const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
  const seen = (person: string, engagement: string) => ({
    signalId: signal.id,
    person: { extId: person, name: `Person ${person}` },
    engagement: { id: engagement, type: "comment", commentText: `${person} says so` }
  })
  return { brand, seen }
})

const listed = (brandId: string, ...query: ReadonlyArray<[string, string]>) =>
  Effect.map(
    Leads.list(brandId, Either.getOrThrow(LeadQueries.readList([["pageSize", "100"], ...query]))),
    ({ leads }) => leads.map(({ lead }) => lead.extId)
  )

const everybody = (brandId: string) => listed(brandId)
const found = (brandId: string, text: string) => listed(brandId, ["search", text])

/** What can't be decided: the program itself is wrong. */
const undecidable: Proposal = {
  personExtId: "nobody",
  personHash: () => "",
  authorHash: null,
  engagementId: "none",
  signalId: "1",
  decide: () => {
    throw new Error("undecidable")
  }
}

describe("writes to the SQLite file", () => {
  it("that come at once share a commit, each decided after the ones before it [STORE-1, EVT-2, EVT-3]", () =>
    counted((commits) =>
      Effect.gen(function* () {
        const { brand, seen } = yield* setUp
        const before = commits()
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 64 }, (_, i) => i),
          // Four of each engagement.
          (i) => recordObservations(brand, [seen(`p${i % 16}`, `e${i % 16}`)]),
          { concurrency: "unbounded" }
        )
        expect(commits() - before).toBeLessThanOrEqual(4)
        expect(outcomes.flat().filter(({ outcome }) => outcome === "recorded")).toHaveLength(16)
        expect(outcomes.flat().filter(({ outcome }) => outcome === "duplicate")).toHaveLength(48)
        expect(yield* everybody(brand.id)).toHaveLength(16)
      })
    ))

  it("wait for others only where the ones before had company [STORE-1]", () => {
    let waits = 0
    const { next, ...rest } = SqliteStore.TickScheduler.ofEventLoop
    const ticks = { ...rest, next: Effect.suspend(() => (waits++, next)) }
    return counted(
      (commits) =>
        Effect.gen(function* () {
          const { brand, seen } = yield* setUp
          let n = 0
          /** Waits and commits of so many writes at once. */
          const costs = (atOnce: number) =>
            Effect.gen(function* () {
              const before = [waits, commits()] as const
              const people = Array.from({ length: atOnce }, () => `p${++n}`)
              yield* Effect.forEach(people, (each) => recordObservations(brand, [seen(each, each)]), {
                concurrency: "unbounded"
              })
              return { waits: waits - before[0], commits: commits() - before[1] }
            })
          const alone = { waits: 0, commits: 1 }
          expect([yield* costs(1), yield* costs(1)]).toEqual([alone, alone])
          expect(yield* costs(3)).toEqual({ waits: 0, commits: 2 })
          expect((yield* costs(3)).commits).toBe(1)
          expect(yield* costs(1)).toMatchObject({ commits: 1 })
          expect(yield* costs(1)).toEqual(alone)
        }),
      ticks
    )
  })

  it("fail alone, and take back what they did alone [STORE-1]", () =>
    counted((commits) =>
      Effect.gen(function* () {
        const { brand, seen } = yield* setUp
        const store = yield* LeadStore
        const before = commits()
        const exits = yield* Effect.forEach(
          Array.from({ length: 30 }, (_, i) => i),
          (i) =>
            Effect.exit(
              i % 3 === 1
                ? store.commit(brand.id, [undecidable], () => "never")
                : recordObservations(brand, [seen(`p${i}`, `e${i}`)])
            ),
          { concurrency: "unbounded" }
        )
        expect(commits() - before).toBeLessThanOrEqual(20)
        expect(exits.map(Exit.isSuccess)).toEqual(exits.map((_, i) => i % 3 !== 1))
        expect(yield* everybody(brand.id)).toHaveLength(20)
        // The index of texts, too, has what was done anew.
        expect(yield* found(brand.id, "person")).toHaveLength(20)
        yield* recordObservations(brand, [seen("p40", "e40")])
        expect(yield* found(brand.id, "person p40")).toEqual(["p40"])
      })
    ))

  it("are committed though the first of them, who commits for all, went away [STORE-1]", () =>
    counted(() =>
      Effect.gen(function* () {
        const { brand, seen } = yield* setUp
        const fibers = yield* Effect.forEach([1, 2, 3, 4], (i) =>
          Effect.fork(recordObservations(brand, [seen(`p${i}`, `e${i}`)]))
        )
        yield* Effect.yieldNow()
        const [first, ...others] = fibers
        yield* Fiber.interrupt(first!)
        for (const other of others) yield* Fiber.join(other)
        expect((yield* everybody(brand.id)).filter((extId) => extId !== "p1")).toHaveLength(3)
        yield* recordObservations(brand, [seen("p5", "e5")])
        expect(yield* everybody(brand.id)).toContain("p5")
      })
    ))
})
