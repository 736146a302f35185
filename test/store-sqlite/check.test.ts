/** What a check of the file finds of what is kept beside the leads. */
import { Brands, recordObservations, Signals, type StoreUnavailable } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

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
