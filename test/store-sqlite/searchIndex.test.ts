/** The search indexes, whose segments the store merges. */
import { Brands, Leads, recordObservations, Signals } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { takeBackTo } from "../harness/EarlierVersions.ts"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import { mergedPages } from "./MergedPages.ts"
import { isThorough } from "../harness/Thoroughness.ts"

/** So many that a second size of segments comes to sixteen. */
const commits = isThorough ? 600 : 270

describe("the indexes of texts", () => {
  it("are merged a little every few commits, so that no commit merges much [LIST-5]", async () => {
    const filename = emptyStoreFile()
    const raw = new Database(filename)
    /** Each segment is what one commit wrote, or several that were merged. */
    const segments = () =>
      ["lead_text", "lead_gram"].map((table) =>
        raw.prepare(`SELECT count(DISTINCT segid) FROM ${table}_idx`).pluck().get()
      )
    const max = [0, 0]
    await Effect.runPromise(
      Effect.gen(function* () {
        const brand = yield* Brands.create("B")
        const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
        const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
        for (let commit = 0; commit < commits; commit++) {
          const seen = Array.from({ length: commit % 7 === 0 ? 20 : 1 }, (_, i) => ({
            signalId: signal.id,
            person: {
              extId: `p${commit} ${i}`,
              name: `Person ${(commit * 31 + i) ** 2}`,
              headline: `Buyer of ${commit * i} goods`
            },
            engagement: { id: `e${commit} ${i}` }
          }))
          yield* recordObservations(brand, seen)
          for (const [i, n] of segments().entries()) max[i] = Math.max(max[i]!, n as number)
        }
      }).pipe(
        Effect.provide(
          Layer.merge(
            SqliteStore.layer({
              filename,
              synced: false,
              ticks: SqliteStore.TickScheduler.none,
              maxUnindexed: 0
            }),
            webCrypto
          )
        )
      )
    )
    // At sixteen of one size FTS5 merges them all at once: without earlier merges there are thirty of several sizes.
    for (const count of max) expect(count).toBeLessThan(20)
    expect(max[0]).toBeGreaterThan(1)
    raw.close()
  })

  it.each([
    ["here", Number.POSITIVE_INFINITY],
    ["in the thread", 10_000]
  ])("keep nothing of what was merged when a lead is erased, %s [PII-3]", async (_, maxEffort) => {
    const filename = emptyStoreFile()
    const raw = new Database(filename)
    const indexes = ["lead_text", "lead_gram"]
    const left = () => indexes.reduce((sum, index) => sum + mergedPages(raw, index), 0)
    let found = 0
    await Effect.runPromise(
      Effect.gen(function* () {
        const brand = yield* Brands.create("B")
        const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
        const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
        for (const table of indexes) raw.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('pgsz', 64)`)
        for (let commit = 0; commit < (isThorough ? 120 : 60); commit++) {
          const seen = Array.from({ length: commit % 5 === 0 ? 12 : 1 }, (_, i) => ({
            signalId: signal.id,
            person: {
              extId: `p${commit} ${i}`,
              // Some are over long before the others that they are merged with.
              name: commit % 5 === 0 ? `Person ${(commit * 31 + i) ** 2}` : "Aaa",
              headline: commit % 5 === 0 ? `Buyer of ${commit * 7919 + i * 104_729} goods` : null
            },
            engagement: { id: `e${commit} ${i}` }
          }))
          const [outcome] = yield* recordObservations(brand, seen)
          // As another process does, a page at a time.
          raw.exec("UPDATE segment_merge SET owner = 1, is_under_way = 1")
          for (const table of indexes) raw.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', 1)`)
          if (left() === 0) continue
          found++
          yield* Leads.erase(yield* Brands.get(brand.id), outcome!.leadId!)
          expect(left()).toBe(0)
        }
      }).pipe(
        Effect.provide(
          Layer.merge(
            SqliteStore.layer({
              filename,
              synced: false,
              maxEffort,
              maxUnindexed: 0,
              ticks: SqliteStore.TickScheduler.none
            }),
            webCrypto
          )
        )
      )
    )
    expect(found).toBeGreaterThan(0)
    for (const table of indexes) {
      raw.exec(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`)
      raw.exec(`INSERT INTO ${table} (${table}) VALUES ('optimize')`)
      raw.exec(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`)
    }
    raw.close()
  })

  it("get no segment of an erasure, which starts no merge [PII-3]", async () => {
    const filename = emptyStoreFile()
    const raw = new Database(filename)
    const merges = () => raw.prepare("SELECT is_under_way FROM segment_merge").pluck().get()
    await Effect.runPromise(
      Effect.gen(function* () {
        const brand = yield* Brands.create("B")
        const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
        const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
        const seen = Array.from({ length: 12 }, (_, i) => ({
          signalId: signal.id,
          person: { extId: `p${i}`, name: `Person ${i}` },
          engagement: { id: `e${i}` }
        }))
        const outcomes = yield* recordObservations(brand, seen)
        for (const { leadId } of outcomes) {
          yield* Leads.erase(brand, leadId!)
          expect(merges()).toBe(0)
        }
        const segments = raw.prepare("SELECT count(DISTINCT segid) FROM lead_text_idx").pluck().get()
        expect(segments).toBeLessThanOrEqual(1)
      }).pipe(Effect.provide(Layer.merge(SqliteStore.layer({ filename, maxUnindexed: 0 }), webCrypto)))
    )
    raw.close()
  })

  it("of a file that left the merge to FTS5 are merged, and left to the store [LIST-5]", async () => {
    const filename = emptyStoreFile()
    const open = () => Effect.runPromise(Effect.provide(Effect.void, SqliteStore.layer({ filename })))
    await open()
    const raw = new Database(filename)
    // As its sixth version was.
    takeBackTo(raw, 6)
    raw.exec(`
      INSERT INTO brand (id, name, suppression_secret, created_at) VALUES (1, 'B', '', 0);
      INSERT INTO lead (brand_id, ext_id, name, name_key, profile_times, signal_id, signal_ids, flags, score_missing, created_at, updated_at)
        SELECT 1, value, 'some name', 'some name', '{}', 1, '[]', 0, 1, 0, 0 FROM json_each('["a", "b", "c"]')`)
    for (const [table, columns, values] of [
      ["lead_text", "name, headline", "'some name', 'some headline'"],
      ["lead_gram", "grams", "'b1u61 b1u62'"]
    ]) {
      raw.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('automerge', 4)`)
      for (let i = 1; i <= 3; i++)
        raw.exec(`INSERT INTO ${table} (rowid, ${columns}) VALUES (${i}, ${values})`)
    }
    const looksOf = (table: string) => [
      raw.prepare(`SELECT v FROM ${table}_config WHERE k = 'automerge'`).pluck().get(),
      raw.prepare(`SELECT count(DISTINCT segid) FROM ${table}_idx`).pluck().get()
    ]
    expect(["lead_text", "lead_gram"].map(looksOf)).toEqual([
      [4, 3],
      [4, 3]
    ])
    await open()
    expect(["lead_text", "lead_gram"].map(looksOf)).toEqual([
      [0, 1],
      [0, 1]
    ])
    raw.close()
  })
})
