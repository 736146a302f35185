/** The tail of the search indexes: the newest leads, whose texts wait for the indexes and which each search finds all the same. */
import {
  Brands,
  type LeadId,
  Leads,
  LeadStore,
  recordObservations,
  Signals,
  SortOrder
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Selection } from "@lead-signals/store-sqlite/internal"
import Database from "better-sqlite3"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import fc from "fast-check"
import { setImmediate as nextTick } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { raw } from "../harness/RawFile.ts"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import { cases } from "../harness/Thoroughness.ts"

const open = (options: SqliteStore.SqliteStoreOptions) =>
  ManagedRuntime.make(Layer.merge(SqliteStore.layer({ synced: false, ...options }), webCrypto))

const setUp = Effect.gen(function* () {
  const brand = yield* Brands.create("B")
  const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
  const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
  return { brand, signalId: signal.id }
})

interface Person {
  readonly extId: string
  readonly name: string
  readonly headline: string | null
}

let engagements = 0
const observe = ({ brand, signalId }: Effect.Effect.Success<typeof setUp>, people: ReadonlyArray<Person>) =>
  recordObservations(
    brand,
    people.map((person) => ({ signalId, person, engagement: { id: `e${++engagements}` } }))
  )

const created = Either.getOrThrow(SortOrder.parse("createdAt:asc"))
const named = Either.getOrThrow(SortOrder.parse("name:desc"))

/** The names that a search finds, by pages of three. */
const found = (
  brandId: string,
  filter: { readonly search: string; readonly signalId?: string },
  sort = created
) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    const names: Array<string> = []
    for (let page = 1; ; page++) {
      const { leads, total } = yield* store.list(brandId, {
        filter,
        sort,
        page: { page, pageSize: 3 },
        engagements: "none"
      })
      names.push(...leads.map(({ lead }) => lead.profile.name))
      if (leads.length < 3) return { total, names: names.sort() }
    }
  })

/** Leads in the indexes. */
const indexed = (db: Database.Database): number =>
  db.prepare("SELECT count(*) FROM lead_text_docsize").pluck().get() as number

const text = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom("a", "b", "b", "É", "😀"), minLength: 1, maxLength })

const step = fc.record({
  by: fc.nat({ max: 1 }),
  who: fc.nat({ max: 7 }),
  name: text(8),
  headline: fc.option(text(12)),
  isErased: fc.nat({ max: 3 }).map((n) => n === 0)
})

describe("leads that wait for the search indexes", () => {
  it("are found as those in the indexes are, by every process, with whatever else is asked for [LIST-4]", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 16 }),
        fc.array(text(5), { minLength: 2, maxLength: 4 }),
        fc.constantFrom(0, 1, 3, 128),
        async (steps, needles, maxUnindexed) => {
          const filename = emptyStoreFile()
          // The first plans each list here, the second leaves each to a thread.
          const processes = [
            open({ filename, maxUnindexed, maxEffort: Number.POSITIVE_INFINITY }),
            open({ filename, maxUnindexed: 2, maxEffort: 0 })
          ] as const
          const at = await processes[0].runPromise(setUp)
          const people = new Map<number, Person & { readonly id: LeadId }>()
          try {
            for (const { by, headline, isErased, name, who } of steps) {
              const known = people.get(who)
              if (isErased && known !== undefined) {
                await processes[by]!.runPromise(Leads.erase(at.brand, known.id))
                people.delete(who)
                continue
              }
              // An erased person is not recorded again.
              const person = { extId: known?.extId ?? `p${who} ${engagements}`, name, headline }
              const [outcome] = await processes[by]!.runPromise(observe(at, [person]))
              people.set(who, {
                ...person,
                headline: headline ?? known?.headline ?? null,
                id: outcome!.leadId!
              })
              // The reads of one tick share a state of the file, which may be older than what another process commits.
              await nextTick()
              for (const needle of needles) {
                const search = needle.toLowerCase()
                const matching = [...people.values()].filter(
                  (each) =>
                    each.name.toLowerCase().includes(search) ||
                    each.headline?.toLowerCase().includes(search) === true
                )
                const expected = { total: matching.length, names: matching.map((each) => each.name).sort() }
                for (const process of processes) {
                  const all = [
                    await process.runPromise(found(at.brand.id, { search })),
                    await process.runPromise(found(at.brand.id, { search }, named)),
                    await process.runPromise(found(at.brand.id, { search, signalId: at.signalId }))
                  ]
                  for (const each of all) expect([needle, each]).toEqual([needle, expected])
                }
              }
            }
          } finally {
            for (const process of processes) await process.dispose()
          }
          const { problems } = await Effect.runPromise(SqliteStore.check(filename))
          expect(problems).toEqual([])
        }
      ),
      { numRuns: cases(60) }
    )
  })

  it("are written to the indexes together, and change nothing there before [STORE-1]", async () => {
    const filename = emptyStoreFile()
    const process = open({ filename, maxUnindexed: 5, ticks: SqliteStore.TickScheduler.none })
    const at = await process.runPromise(setUp)
    const db = new Database(filename)
    const counts: Array<number> = []
    for (let i = 0; i < 14; i++) {
      await process.runPromise(observe(at, [{ extId: `p${i}`, name: `Name ${i}`, headline: null }]))
      counts.push(indexed(db))
    }
    expect(counts).toEqual([0, 0, 0, 0, 0, 6, 6, 6, 6, 6, 6, 12, 12, 12])
    expect(await process.runPromise(found(at.brand.id, { search: "name" }))).toMatchObject({ total: 14 })
    db.close()
    await process.dispose()
  })

  it("are looked up by their numbers beside what the index finds, and no list reads all leads for them [LIST-4]", async () => {
    const filename = emptyStoreFile()
    const process = open({ filename })
    await process.runPromise(setUp)
    await process.dispose()
    const selection = { ...Selection.select(1, { search: "ada" }), unindexed: [7] }
    const { params, text } = Selection.conditions(selection, "search")
    const plan = raw(filename, (db) =>
      db
        .prepare(
          `EXPLAIN QUERY PLAN SELECT count(*) FROM ${Selection.sourceOf(selection, "search")} WHERE ${text}`
        )
        .all(...params)
    )
    const details = (plan as ReadonlyArray<{ readonly detail: string }>).map(({ detail }) => detail)
    expect(details[0]).toBe("SEARCH l USING INTEGER PRIMARY KEY (rowid=?)")
    expect(details.filter((detail) => /^SCAN (l|lead)\b/.test(detail))).toEqual([])
  })

  it("come into the indexes after a rest, also those that an ended process left [LIST-4]", async () => {
    const filename = emptyStoreFile()
    const ended = open({ filename, ticks: SqliteStore.TickScheduler.none })
    const at = await ended.runPromise(setUp)
    await ended.runPromise(observe(at, [{ extId: "ada", name: "Ada", headline: null }]))
    await ended.dispose()
    expect(raw(filename, indexed)).toBe(0)
    const process = open({ filename })
    await process.runPromise(Brands.get(at.brand.id))
    const ofAll = (n: number) => expect.poll(() => raw(filename, indexed), { timeout: 30_000 }).toBe(n)
    await ofAll(1)
    await process.runPromise(observe(at, [{ extId: "bea", name: "Bea", headline: null }]))
    await ofAll(2)
    await process.dispose()
  })

  it("are some at most: a check finds more of them, whose entries are lost [STORE-9]", async () => {
    const filename = emptyStoreFile()
    const process = open({ filename, ticks: SqliteStore.TickScheduler.none })
    const at = await process.runPromise(setUp)
    const people = Array.from({ length: 130 }, (_, i) => ({ extId: `p${i}`, name: "Ada", headline: null }))
    await process.runPromise(observe(at, people))
    await process.dispose()
    const problems = async () => (await Effect.runPromise(SqliteStore.check(filename))).problems
    expect(await problems()).toEqual([])
    raw(filename, (db) => {
      for (const table of ["lead_text", "lead_gram"])
        db.exec(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`)
    })
    expect(await problems()).toEqual(["the leads that wait for the search are wrong in 2 places"])
  })
})
