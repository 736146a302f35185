/** What a check of the file finds of what is kept beside the leads. */
import { Brands, Leads, recordObservations, Signals, type StoreUnavailable } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { storeOver } from "./ShortRankBuckets.ts"

const withLeads = (filename: string) =>
  Effect.gen(function* () {
    const brand = yield* Brands.create("B")
    const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
    const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
    const seen = ["a", "b", "c"].map((extId) => ({
      signalId: signal.id,
      person: { extId, name: `Name ${extId}` },
      engagement: { id: extId }
    }))
    yield* recordObservations(brand, seen)
  }).pipe(Effect.provide(Layer.merge(SqliteStore.layer({ filename }), webCrypto)))

describe("the check of a file", () => {
  it("finds entries of the search that are of no lead, and leads without one, however many there are, in even steps [STORE-9]", async () => {
    const filename = join(temporaryFolder(), "checked.sqlite")
    await Effect.runPromise(withLeads(filename))
    const fractions: Array<number> = []
    const problems = async () =>
      (await Effect.runPromise(SqliteStore.check(filename, (fraction) => void fractions.push(fraction))))
        .problems
    expect(await problems()).toEqual([])
    // The last of them begins a step before the end.
    expect(fractions.length).toBeGreaterThan(10)
    expect(fractions).toEqual(fractions.map((_, i) => expect.closeTo(i / fractions.length)))
    const raw = new Database(filename)
    for (const [table, entries] of [
      ["lead_text", [1, 2, 4]],
      ["lead_gram", [2, 3, 7]]
    ] as const) {
      raw.exec(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`)
      for (const entry of entries) raw.prepare(`INSERT INTO ${table} (rowid) VALUES (?)`).run(entry)
    }
    raw.close()
    expect(await problems()).toEqual([
      "the entries of the search are wrong in 2 places",
      "the entries of the search for one or two characters are wrong in 2 places"
    ])
  })
})

describe("the check of rank buckets", () => {
  /** The columns of the orders of leads, by name. */
  const columns = {
    created: "created_at",
    updated: "updated_at",
    name: "name_key",
    score: "score_rank",
    scoreDesc: "score_rank_desc"
  }

  /** A file with buckets of at most four leads, whose 60 leads share most keys of the orders. */
  const withBuckets = async (filename: string): Promise<void> => {
    await Effect.runPromise(
      Effect.gen(function* () {
        for (const brandName of ["A", "B", "without leads"]) {
          const brand = yield* Brands.create(brandName)
          const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
          const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
          if (brandName === "without leads") continue
          for (let piece = 0; piece < 3; piece++) {
            const seen = Array.from({ length: 20 }, (_, i) => ({
              signalId: signal.id,
              person: { extId: `${piece} ${i}`, name: i % 3 === 0 ? "Ada" : `Person ${i}` },
              engagement: { id: `${piece} ${i}` }
            }))
            const outcomes = yield* recordObservations(brand, seen)
            for (const [i, { leadId }] of outcomes.entries()) {
              if (i % 4 === 0) yield* Leads.amend(brand.id, leadId!, { qualified: true, score1: i % 8 })
            }
          }
        }
      }).pipe(Effect.provide(storeOver(filename, 4))) as Effect.Effect<void>
    )
  }

  const problem = /^the rank buckets of the orders are wrong in \d+ places$/

  it("finds a lead that is counted in another bucket than its own, or by other flags, in every order [STORE-9]", async () => {
    const filename = join(temporaryFolder(), "buckets.sqlite")
    await withBuckets(filename)
    const problems = async () => (await Effect.runPromise(SqliteStore.check(filename))).problems
    expect(await problems()).toEqual([])
    const db = new Database(filename)
    const brandId = db.prepare("SELECT id FROM brand WHERE name = 'A'").pluck().get()
    for (const [ordering, column] of Object.entries(columns)) {
      const buckets = db
        .prepare<unknown[], { seq: number; id: number; key: unknown; n: number }>(
          "SELECT seq, id, key, n0 + n1 AS n FROM lead_stretch WHERE brand_id = ? AND ordering = ? ORDER BY key, id"
        )
        .all(brandId, ordering)
      expect(buckets.length).toBeGreaterThan(9)
      const move = (to: string, n: number, { seq }: { readonly seq: number }): void =>
        void db.prepare(`UPDATE lead_stretch SET n0 = n0 - ?, ${to} = ${to} + ? WHERE seq = ?`).run(n, n, seq)
      const add = (n: number, { seq }: { readonly seq: number }): void =>
        void db.prepare("UPDATE lead_stretch SET n0 = n0 + ? WHERE seq = ?").run(n, seq)
      const pairs = buckets.slice(1).flatMap((next, i) => (next.n > 1 ? [[buckets[i]!, next] as const] : []))
      for (const [i, [bucket, next]] of [pairs[0]!, pairs[pairs.length >> 1]!, pairs.at(-1)!].entries()) {
        const second = db
          .prepare<unknown[], { id: number; key: unknown }>(
            `SELECT id, ${column} AS key FROM lead WHERE brand_id = ? AND (${column}, id) >= (?, ?) ORDER BY ${column}, id LIMIT 1 OFFSET 1`
          )
          .get(brandId, next.key, next.id)!
        const begin = ({ id, key }: typeof second): void =>
          void db.prepare("UPDATE lead_stretch SET key = ?, id = ? WHERE seq = ?").run(key, id, next.seq)
        const damages = [
          ["neighbour", () => (add(-1, bucket), add(1, next)), () => (add(1, bucket), add(-1, next))],
          ["flags", () => move("n1", 1, bucket), () => move("n1", -1, bucket)],
          ["beginning", () => begin(second), () => begin(next)]
        ] as const
        for (const [name, damage, undo] of damages) {
          damage()
          const found = await problems()
          expect({ ordering, i, name, found }).toEqual({
            ordering,
            i,
            name,
            found: [expect.stringMatching(problem)]
          })
          undo()
        }
      }
      expect([ordering, await problems()]).toEqual([ordering, []])
    }
    db.close()
  })

  it("finds brands without a first bucket, and buckets of no brand [STORE-9]", async () => {
    const filename = join(temporaryFolder(), "beginnings.sqlite")
    await withBuckets(filename)
    const problems = async () => (await Effect.runPromise(SqliteStore.check(filename))).problems
    const db = new Database(filename)
    const brandOf = (name: string) => `brand_id = (SELECT id FROM brand WHERE name = '${name}')`
    const first = `ordering = 'name' AND key = '' AND ${brandOf("A")}`
    for (const [damage, undo] of [
      [
        `UPDATE lead_stretch SET brand_id = 99 WHERE ${brandOf("without leads")}`,
        "UPDATE lead_stretch SET brand_id = (SELECT id FROM brand WHERE name = 'without leads') WHERE brand_id = 99"
      ],
      [`UPDATE lead_stretch SET id = 1 WHERE ${first}`, `UPDATE lead_stretch SET id = 0 WHERE ${first}`],
      [`DELETE FROM lead_stretch WHERE ordering = 'score' AND ${brandOf("without leads")}`, ""]
    ] as const) {
      expect(await problems()).toEqual([])
      db.exec(damage)
      expect([damage, await problems()]).toEqual([damage, [expect.stringMatching(problem)]])
      db.exec(undo)
    }
    db.close()
  })
})

/** What reads a file by `openToRead`. */
describe("a file that is only read", () => {
  it("by a check or a copy must be there, and is not created [STORE-9]", async () => {
    const folder = join(temporaryFolder(), "none")
    mkdirSync(folder)
    const missing = join(folder, "missing.sqlite")
    for (const reading of [
      SqliteStore.check(missing),
      SqliteStore.backup(missing, join(folder, "copy.sqlite"))
    ]) {
      const failure = await Effect.runPromise(
        Effect.flip(reading as Effect.Effect<unknown, StoreUnavailable>)
      )
      expect(failure._tag).toBe("@lead-signals/domain/StoreUnavailable")
      expect(readdirSync(folder)).toEqual([])
    }
  })

  it("by a check or a copy has nothing beside it that was not there, and is as it was; the copy needs nothing beside it either [STORE-8, STORE-9]", async () => {
    const folder = join(temporaryFolder(), "alone")
    mkdirSync(folder)
    const filename = join(folder, "read.sqlite")
    await Effect.runPromise(withLeads(filename))
    const [there, before] = [readdirSync(folder).sort(), readFileSync(filename)]
    expect(there).not.toContain("read.sqlite-wal")
    await Effect.runPromise(SqliteStore.check(filename))
    expect(readdirSync(folder).sort()).toEqual(there)
    await Effect.runPromise(SqliteStore.backup(filename, join(folder, "copy.sqlite")))
    // SQLite opens no file with a 2 here in a folder into which it can't write.
    expect([...readFileSync(join(folder, "copy.sqlite")).subarray(18, 20)]).toEqual([1, 1])
    await Effect.runPromise(SqliteStore.check(join(folder, "copy.sqlite")))
    expect(readdirSync(folder).sort()).toEqual([...there, "copy.sqlite"].sort())
    expect(readFileSync(filename).equals(before)).toBe(true)
  })

  it("by a check keeps the log of whoever has it open [STORE-9]", async () => {
    const filename = join(temporaryFolder(), "open.sqlite")
    await Effect.runPromise(withLeads(filename))
    const other = new Database(filename)
    other.exec("UPDATE brand SET name = 'C'")
    expect((await Effect.runPromise(SqliteStore.check(filename))).problems).toEqual([])
    other.exec("UPDATE brand SET name = 'D'")
    other.close()
    const reader = new Database(filename)
    expect(reader.prepare("SELECT name FROM brand").pluck().get()).toBe("D")
    reader.close()
  })
})
