/** The buckets of the rank index: what they keep of leads, and how many they are. */
import { Brands, Leads, LeadStore, recordObservations, Signals, SortOrder } from "@lead-signals/domain"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Either } from "effect"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { takeBackTo } from "../harness/EarlierVersions.ts"
import { storeOver } from "./ShortRankBuckets.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { raw } from "../harness/RawFile.ts"

const folder = temporaryFolder()
const maxBucketLeads = 4
const names = Array.from({ length: 40 }, (_, i) => `quill ${String.fromCodePoint(97 + ((i * 7) % 26))}${i}`)

const over = <A, E>(filename: string, work: Effect.Effect<A, E, any>): Promise<A> =>
  Effect.runPromise(work.pipe(Effect.provide(storeOver(filename, maxBucketLeads))) as Effect.Effect<A, never>)

const setUp = Effect.gen(function* () {
  const brand = yield* Brands.create("B")
  const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
  const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
  let engagements = 0
  /** Each in a commit of its own. */
  const observe = (people: ReadonlyArray<readonly [extId: string, name: string]>) =>
    Effect.forEach(people, ([extId, name]) =>
      Effect.map(
        recordObservations(brand, [
          {
            signalId: signal.id,
            person: { extId, name },
            engagement: { id: `e${++engagements}`, trackedAt: null }
          }
        ]),
        ([outcome]) => outcome!.leadId!
      )
    )
  return { brand, observe }
})

const people = names.map((name, i) => [`p${i}`, name] as const)

/** The names that buckets begin with. */
const namesIn = (filename: string): ReadonlyArray<string> =>
  raw(filename, (db) =>
    db.prepare("SELECT key FROM lead_stretch WHERE ordering = 'name' AND id > 0").pluck().all()
  ) as ReadonlyArray<string>

describe("the rank index", () => {
  it("keeps no name of a lead that is erased [PII-3]", async () => {
    const filename = join(folder, "erased.sqlite")
    await over(
      filename,
      Effect.gen(function* () {
        const { brand, observe } = yield* setUp
        const ids = yield* observe(people)
        expect(namesIn(filename).length).toBeGreaterThan(9)
        const left = new Set(names)
        for (const [i, id] of ids.entries()) {
          yield* Leads.erase(brand, id)
          left.delete(names[i]!)
          expect(namesIn(filename).filter((name) => !left.has(name))).toEqual([])
        }
      })
    )
    const rest = raw(filename, (db) =>
      db.prepare("SELECT count(*) FROM lead_stretch WHERE id > 0").pluck().get()
    )
    expect(rest).toBe(0)
  })

  it("keeps no earlier name of a lead [PII-3]", async () => {
    const filename = join(folder, "renamed.sqlite")
    await over(
      filename,
      Effect.gen(function* () {
        const { observe } = yield* setUp
        yield* observe(people)
        const now = new Set(names)
        for (const [i, name] of names.entries()) {
          const renamed = i % 2 === 0 ? `zz ${i}` : `aa ${i}`
          yield* observe([[`p${i}`, renamed]])
          now.delete(name)
          now.add(renamed)
          expect(namesIn(filename).filter((each) => !now.has(each))).toEqual([])
        }
      })
    )
  })

  it("of a file that kept such names is rebuilt [PII-3]", async () => {
    const filename = join(folder, "earlier.sqlite")
    await over(
      filename,
      Effect.flatMap(setUp, ({ observe }) => observe(people))
    )
    raw(filename, (db) => {
      db.exec("UPDATE lead_stretch SET key = key || ' erased' WHERE ordering = 'name' AND id > 0")
      takeBackTo(db, 11)
    })
    await over(filename, Effect.void)
    expect(namesIn(filename).filter((name) => name.endsWith("erased"))).toEqual([])
  })

  it("has no more buckets than few leads need, however often they change [SORT-5]", async () => {
    const filename = join(folder, "updated.sqlite")
    await over(
      filename,
      Effect.gen(function* () {
        const { observe } = yield* setUp
        for (let round = 0; round < 30; round++) yield* observe(people.slice(0, 10))
      })
    )
    const max = raw(filename, (db) =>
      db
        .prepare("SELECT max(n) FROM (SELECT count(*) AS n FROM lead_stretch GROUP BY ordering)")
        .pluck()
        .get()
    )
    expect(max).toBeLessThan(12)
  })

  it("finds the pages of what is there now, after writes of this and of another process [PAGE-3, SORT-5]", async () => {
    const filename = join(folder, "pages.sqlite")
    const reader = SqliteStore.layer({
      filename,
      synced: false,
      ticks: SqliteStore.TickScheduler.none,
      rankIndex: { findingEffort: 0, maxBucketLeads }
    })
    await over(
      filename,
      Effect.gen(function* () {
        const { brand, observe } = yield* setUp
        yield* observe(people.slice(0, 30))
        yield* Effect.gen(function* () {
          const store = yield* LeadStore
          const expectPages = (there: ReadonlyArray<string>) =>
            Effect.gen(function* () {
              const sorted = there.toSorted()
              for (const direction of ["asc", "desc"] as const) {
                const expected = direction === "asc" ? sorted : sorted.toReversed()
                for (let page = 1; page <= sorted.length / 3; page++) {
                  const { leads, total } = yield* store.list(brand.id, {
                    filter: {},
                    sort: Either.getOrThrow(SortOrder.parse(`name:${direction}`)),
                    page: { page, pageSize: 3 },
                    engagements: "none"
                  })
                  expect([total, leads.map(({ lead }) => lead.profile.name)]).toEqual([
                    sorted.length,
                    expected.slice(page * 3 - 3, page * 3)
                  ])
                }
              }
            })
          yield* expectPages(names.slice(0, 30))
          // The other process.
          const [last] = yield* observe(people.slice(30, 40)).pipe(Effect.map((ids) => ids.slice(-1)))
          yield* expectPages(names)
          yield* store.erase(brand.id, last!, "hash", () => "wh_none" as never)
          yield* expectPages(names.slice(0, 39))
        }).pipe(Effect.provide(reader))
      })
    )
  })
})
