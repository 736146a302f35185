/** The pages that the store finds at 100,000 leads, whichever way is the cheapest. */
import { type LeadFilter, LeadStore, SortOrder } from "@lead-signals/domain"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Either } from "effect"
import fc from "fast-check"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { editLead } from "./EditedByHand.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { cases } from "../harness/Thoroughness.ts"
import { day, naiveOrders, openLargeFile, queryOf, shapes, start } from "./LargeFile.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const { db, naively, naivePage } = await openLargeFile()

describe("the pages at 100,000 leads", () => {
  it("find each page of a search and of a signal with other filters, whichever way is the cheapest, and find it again [LIST-5, SORT-5, PAGE-3]", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const store = yield* LeadStore
        const window = { createdAfter: start + day, createdBefore: start + 40 * day }
        const query = fc.record({
          search: fc.option(
            fc.constantFrom("common", "words", "name 1", "name 49", "na", "n", "rare", "zzz"),
            { nil: undefined, freq: 3 }
          ),
          others: fc.constantFrom<LeadFilter>(
            {},
            {},
            {},
            { exported: true },
            { qualified: true },
            { signalId: "1" },
            { signalId: "2" },
            { signalId: "2", exported: true },
            { signalId: "1", qualified: false, ...window },
            { signalId: "1", updatedBefore: start + 30 * day },
            window
          ),
          // Many names are the same.
          sort: fc.constantFrom(...Object.keys(naiveOrders), "name:desc", "name:desc"),
          page: fc.integer({ min: 1, max: 6 }),
          pageSize: fc.constantFrom(1, 2, 3, 10, 40)
        })
        for (const { others, page, pageSize, search, sort } of fc.sample(query, cases(80))) {
          const filter = search === undefined ? others : { ...others, search }
          const query = {
            filter,
            sort: Either.getOrThrow(SortOrder.parse(sort)),
            page: { page, pageSize },
            engagements: "none" as const
          }
          const expected = naivePage(filter, sort, pageSize, (page - 1) * pageSize)
          const expectedTotal = naively(filter)
          for (const time of ["first", "again"]) {
            const { leads, total } = yield* store.list("1", query)
            expect([time, filter, total]).toEqual([time, filter, expectedTotal])
            expect([time, filter, sort, leads.map(({ lead }) => lead.id)]).toEqual([
              time,
              filter,
              sort,
              expected
            ])
          }
        }
      }).pipe(Effect.provide(SqliteStore.layer({ filename: db.name })))
    ))

  it("are the same when they are read again, each for itself, until something is written [LIST-5, PAGE-3]", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const store = yield* LeadStore
        const filters: ReadonlyArray<LeadFilter> = [
          { exported: true, search: "common" },
          { signalId: "1", exported: true },
          { signalId: "1", exported: true, search: "name 1" }
        ]
        for (const filter of filters.slice(isThorough ? 0 : 2)) {
          const expectAll = Effect.gen(function* () {
            const expectedTotal = naively(filter)
            for (const sort of ["createdAt:desc", "updatedAt:asc"]) {
              const first = naivePage(filter, sort, 180, 0)
              for (const [page, pageSize] of [
                [1, 90],
                [2, 90],
                [1, 45],
                [1, 90]
              ] as const) {
                const query = {
                  filter,
                  sort: Either.getOrThrow(SortOrder.parse(sort)),
                  page: { page, pageSize },
                  engagements: "none" as const
                }
                const { leads, total } = yield* store.list("1", query)
                expect([sort, page, total, leads.map(({ lead }) => lead.id)]).toEqual([
                  sort,
                  page,
                  expectedTotal,
                  first.slice((page - 1) * pageSize, page * pageSize)
                ])
              }
            }
          })
          yield* expectAll
          // The newest of the list is in it no more.
          const [newest] = naivePage(filter, "createdAt:desc", 1, 0)
          const set = (changed: string) => editLead(db, Number(newest), changed, { withBuckets: false })
          set("flags = flags - 2, created_at = created_at - 900000")
          yield* expectAll
          set("flags = flags + 2, created_at = created_at + 900000")
          yield* expectAll
        }
      }).pipe(Effect.provide(SqliteStore.layer({ filename: db.name })))
    ))

  it.runIf(isThorough)("give the same lists in the thread that reads what takes long [PAGE-3]", async () => {
    const listed = (maxEffort: number) =>
      Effect.runPromise(
        Effect.gen(function* () {
          const store = yield* LeadStore
          const ask = (shape: string) =>
            Effect.all([
              store.listRendered!("1", queryOf(shape)),
              store.list("1", { ...queryOf(shape), engagements: "plain" })
            ])
          return yield* Effect.forEach(Object.keys(shapes), ask, { concurrency: 8 })
        }).pipe(Effect.provide(SqliteStore.layer({ filename: db.name, maxEffort })))
      )
    const here = await listed(Infinity)
    for (const [i, shape] of Object.keys(shapes).entries()) {
      const [rendered, plain] = here[i]!
      const total = naively(queryOf(shape).filter)
      expect([shape, rendered.total, plain.total]).toEqual([shape, total, total])
    }
    expect(here.some(([{ leads }]) => leads.length === 100)).toBe(true)
    expect(await listed(0)).toEqual(here)
  })

  it("say that the thread can't answer when the file is gone, and answer again when it is back", async () => {
    const filename = join(temporaryFolder(), "gone.sqlite")
    await db.backup(filename)
    await Effect.runPromise(
      Effect.gen(function* () {
        const store = yield* LeadStore
        const rare = store.listRendered!("1", queryOf("a rare search"))
        const { total } = yield* rare
        const raw = new Database(filename)
        raw.exec("ALTER TABLE lead_text RENAME TO elsewhere")
        expect((yield* Effect.flip(rare))._tag).toBe("@lead-signals/domain/StoreUnavailable")
        raw.exec("ALTER TABLE elsewhere RENAME TO lead_text")
        raw.close()
        expect((yield* rare).total).toBe(total)
      }).pipe(Effect.provide(SqliteStore.layer({ filename, maxEffort: 0 })))
    )
  })
})
