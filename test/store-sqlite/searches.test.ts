/** What a search reads in the indexes of texts: never another brand's, and no more for characters that repeat. */
import { Brands, Folding, LeadStore, recordObservations, Signals, SortOrder } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Either, Layer } from "effect"
import fc from "fast-check"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { describe, expect, it, vi } from "vitest"
import { SearchIndex } from "@lead-signals/store-sqlite/internal"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { cases } from "../harness/Thoroughness.ts"
import { takeBackTo } from "../harness/EarlierVersions.ts"
import { raw } from "../harness/RawFile.ts"

const folder = temporaryFolder()
const sort = Either.getOrThrow(SortOrder.parse("createdAt:asc"))

interface Named {
  readonly name: string
  readonly headline: string | null
}

/** Makes a brand of so many people. */
const brandOf = (people: ReadonlyArray<Named>) =>
  Effect.gen(function* () {
    const brand = yield* Brands.create("B")
    const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
    const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
    yield* recordObservations(
      brand,
      people.map((person, i) => ({
        signalId: signal.id,
        person: { extId: `p${i}`, ...person },
        engagement: { id: `e${i}` }
      }))
    )
    return brand.id
  })

const over = (filename: string, maxEffort: number) =>
  Layer.merge(SqliteStore.layer({ filename, synced: false, maxEffort, maxUnindexed: 0 }), webCrypto)

const found = (brandId: string, search: string) =>
  Effect.flatMap(LeadStore, (store) =>
    Effect.map(
      store.list(brandId, {
        filter: { search },
        sort,
        page: { page: 1, pageSize: 100 },
        engagements: "none"
      }),
      ({ leads, total }) => ({ total, names: leads.map(({ lead }) => lead.profile.name) })
    )
  )

describe("a search", () => {
  it("has each three characters twice at most in its phrase, however often they repeat [LIST-4]", () => {
    const exact = ["ada", "banana", "head of sales", "xxxx"]
    for (const needle of exact) {
      expect(SearchIndex.matchOf(1, needle)).toMatchObject({ needle, part: needle })
    }
    expect(SearchIndex.matchOf(1, "x".repeat(199))).toEqual(
      expect.objectContaining({ needle: "x".repeat(199), part: "xxxx" })
    )
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", "😀"), minLength: 3, maxLength: 200 }),
        (needle) => {
          const { part, tokens } = SearchIndex.matchOf(7, needle)!
          expect(needle).toContain(part)
          expect(tokens).toHaveLength(Array.from(part).length - 2)
          for (const each of tokens) {
            expect(each).toMatch(/^b7u/)
            expect(tokens.filter((other) => other === each).length).toBeLessThanOrEqual(2)
          }
        }
      ),
      { numRuns: cases(300) }
    )
  })

  it("of one or two characters finds each that a text has, once, and none that reaches over two texts [LIST-4]", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "B", "c", " ", "é", "😀"), maxLength: 6 })
    const short = (whole: string) => {
      const characters = Array.from(Folding.fold(whole))
      return characters.flatMap((each, i) => (i === 0 ? [each] : [each, characters[i - 1] + each]))
    }
    fc.assert(
      fc.property(text, fc.option(text), (name, headline) => {
        const { grams } = SearchIndex.searchTexts(3, name, headline)
        const needles = new Set([...short(name), ...short(headline ?? "")])
        const tokens = [...needles].map((needle) => SearchIndex.matchOf(3, needle)!.tokens.join(" "))
        expect(grams === "" ? [] : grams.split(" ").sort()).toEqual(tokens.sort())
      }),
      { numRuns: cases(300) }
    )
  })

  it.each([
    ["here", Number.POSITIVE_INFINITY],
    ["in the thread", 0]
  ])("finds exactly what is there, also of few characters that repeat, %s [LIST-4]", async (_, effort) => {
    const text = (maxLength: number) =>
      fc.string({ unit: fc.constantFrom("a", "a", "a", "b"), minLength: 1, maxLength })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ name: text(30), headline: fc.option(text(60)) }), { maxLength: 12 }),
        fc.array(text(40), { minLength: 4, maxLength: 8 }),
        async (people, needles) => {
          const filename = emptyStoreFile()
          await Effect.runPromise(
            Effect.gen(function* () {
              yield* brandOf(people)
              const brandId = yield* brandOf(people)
              for (const needle of [...needles, ...needles]) {
                const names = people.flatMap(({ headline, name }) =>
                  name.includes(needle) || headline?.includes(needle) === true ? [name] : []
                )
                expect([needle, yield* found(brandId, needle)]).toEqual([
                  needle,
                  { total: names.length, names }
                ])
              }
            }).pipe(Effect.provide(over(filename, effort)))
          )
        }
      ),
      { numRuns: cases(12) }
    )
  })

  it("that walks backwards reads the whole run of one key on which the page ends [SORT-5, LIST-4]", async () => {
    const person = (name: string, isFound: boolean) => ({ name, headline: isFound ? "common" : "other" })
    // Four leads are read first, as every other one is found: the fourth is the first that is, and has the key of the fifth.
    const people = [
      ...["z3", "z2", "z1"].map((name) => person(name, false)),
      ...["y", "y"].map((name) => person(name, true)),
      ...Array.from({ length: 95 }, (_, i) => person(`x${i}`, i % 2 === 0))
    ]
    const ids = await Effect.runPromise(
      Effect.gen(function* () {
        const brandId = yield* brandOf(people)
        const { leads } = yield* (yield* LeadStore).list(brandId, {
          filter: { search: "common" },
          sort: Either.getOrThrow(SortOrder.parse("name:desc")),
          page: { page: 1, pageSize: 1 },
          engagements: "none"
        })
        return leads.map(({ lead }) => lead.id)
      }).pipe(Effect.provide(over(emptyStoreFile(), Number.POSITIVE_INFINITY)))
    )
    expect(ids).toEqual([4])
  })

  it("whose texts take long to read is answered by the thread, and one that is soon done here [LIST-5]", async () => {
    // Past a quarter of the effort that is made here: of so many texts FTS5 may have to read every position.
    const people = Array.from({ length: 2600 }, (_, i) => ({
      name: i % 1000 === 0 ? "Zanzibar" : "Common",
      headline: "x".repeat(i % 2)
    }))
    const posted = vi.spyOn(Worker.prototype, "postMessage")
    await Effect.runPromise(
      Effect.gen(function* () {
        const [small, large] = [yield* brandOf(people.slice(0, 100)), yield* brandOf(people)]
        const questionsOf = (brandId: string, search: string) =>
          Effect.map(found(brandId, search), ({ total }) => {
            const kinds = posted.mock.calls.map(([job]) => (job as { readonly kind: string }).kind)
            posted.mockClear()
            return { total, isOffloaded: kinds.includes("listLeads") }
          })
        expect(yield* questionsOf(large, "common")).toEqual({ total: 2597, isOffloaded: true })
        expect(yield* questionsOf(large, "zanzibar")).toEqual({ total: 3, isOffloaded: false })
        expect(yield* questionsOf(large, "nobody at all")).toEqual({ total: 0, isOffloaded: false })
        expect(yield* questionsOf(small, "common")).toEqual({ total: 99, isOffloaded: false })
      }).pipe(Effect.provide(over(join(folder, "aside.sqlite"), 10_000)))
    )
    posted.mockRestore()
  })

  it("reads no entry of another brand, whatever texts that has [AUTH-3, LIST-5]", async () => {
    const filename = join(folder, "brands.sqlite")
    const people = [
      { name: "Ada 1", headline: "b2u61 Head of b1" },
      { name: "ünal 2", headline: null }
    ]
    await Effect.runPromise(
      Effect.zipRight(brandOf(people), brandOf(people)).pipe(Effect.provide(over(filename, Infinity)))
    )
    raw(filename, (db) => {
      const brands = new Map(
        (db.prepare("SELECT id, brand_id FROM lead").raw().all() as Array<[number, number]>).map((row) => row)
      )
      expect(new Set(brands.values())).toEqual(new Set([1, 2]))
      for (const table of ["lead_text", "lead_gram"]) {
        db.exec(`CREATE VIRTUAL TABLE temp.entry_of_${table} USING fts5vocab(main, ${table}, instance)`)
        const entries = db
          .prepare(`SELECT DISTINCT term, doc FROM temp.entry_of_${table}`)
          .raw()
          .all() as Array<[string, number]>
        expect(entries.length).toBeGreaterThan(20)
        for (const [term, doc] of entries) expect(term).toMatch(new RegExp(`^b${brands.get(doc)}u`))
      }
    })
  })
})

describe("an older file", () => {
  it("is searched and sorted by the case folding of this version [LIST-4, SORT-6, PII-3]", async () => {
    const filename = join(folder, "older.sqlite")
    const people = ["Straße", "Zoe", "İpek", "strasser"].map((name) => ({ name, headline: null }))
    const brandId = await Effect.runPromise(brandOf(people).pipe(Effect.provide(over(filename, Infinity))))
    raw(filename, (db) => {
      // As the twelfth version had it: trigrams of all brands alike, and lower-cased texts.
      db.exec(`
        UPDATE lead SET name_key = 'straße' WHERE name = 'Straße';
        UPDATE lead SET name_key = 'i\u0307pek' WHERE name = 'İpek';
        UPDATE lead_stretch SET key = 'straße', id = (SELECT id FROM lead WHERE name = 'Straße') WHERE ordering = 'name';
        DROP TABLE lead_text;
        CREATE VIRTUAL TABLE lead_text USING fts5(name, headline, content='', tokenize='trigram case_sensitive 1');
        INSERT INTO lead_gram (lead_gram) VALUES ('delete-all');
        INSERT INTO lead_text (rowid, name) SELECT brand_id * 8589934592 + id, name_key FROM lead`)
      takeBackTo(db, 12)
    })
    const named = (search: string) => Effect.map(found(brandId, Folding.fold(search)), ({ names }) => names)
    await Effect.runPromise(
      Effect.gen(function* () {
        expect(yield* named("STRASSE")).toEqual(["Straße", "strasser"])
        expect(yield* named("ipek")).toEqual(["İpek"])
        expect(yield* named("ip")).toEqual(["İpek"])
        expect(yield* named("i\u0307")).toEqual(["İpek"])
        const store = yield* LeadStore
        const byName = {
          filter: {},
          sort: Either.getOrThrow(SortOrder.parse("name:asc")),
          engagements: "none" as const
        }
        const { leads } = yield* store.list(brandId, { ...byName, page: { page: 1, pageSize: 10 } })
        expect(leads.map(({ lead }) => lead.profile.name)).toEqual(["İpek", "Straße", "strasser", "Zoe"])
      }).pipe(Effect.provide(over(filename, Infinity)))
    )
    raw(filename, (db) => {
      const keys = db.prepare("SELECT name_key FROM lead ORDER BY name_key").pluck().all()
      expect(keys).toEqual(["ipek", "strasse", "strasser", "zoe"])
      // Nothing says a key that no lead has any more.
      const stretches = db.prepare("SELECT key FROM lead_stretch WHERE ordering = 'name' AND id > 0")
      expect(stretches.pluck().all()).toEqual([])
    })
    expect((await Effect.runPromise(SqliteStore.check(filename))).problems).toEqual([])
  })
})
