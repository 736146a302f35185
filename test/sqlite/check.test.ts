/** What a check of the file finds of what is kept beside the leads. */
import { Observing, Operating } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../TemporaryFolder.ts"

const withLeads = (filename: string) =>
  Effect.gen(function* () {
    const brand = yield* Operating.createBrand("B")
    const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
    const signal = yield* Operating.createSignal(brand.id, { name: "S", signalType: "t", source })
    const seen = ["a", "b", "c"].map((extId) => ({
      signalId: signal.id,
      person: { extId, name: `Name ${extId}` },
      engagement: { id: extId }
    }))
    yield* Observing.recordObservations(brand, seen)
  }).pipe(Effect.provide(Layer.merge(SqliteStore.layer({ filename }), webCrypto)))

describe("the check of a file", () => {
  it("finds entries of the search that are of no lead, and leads without one, however many there are [LIST-5]", async () => {
    const filename = join(temporaryFolder(), "checked.sqlite")
    await Effect.runPromise(withLeads(filename))
    const problems = async () => (await Effect.runPromise(SqliteStore.check(filename))).problems
    expect(await problems()).toEqual([])
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
