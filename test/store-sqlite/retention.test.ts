/** What a retention does to a SQLite file: its size over a year, pages that are used again, totals that stay right, and no rest of what was pruned. */
import {
  Brands,
  LeadQueries,
  LeadStore,
  Pruning,
  recordObservations,
  RetentionRounds,
  Retention,
  Signals
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { SettableClock } from "@lead-signals/store-contract"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Either, Layer } from "effect"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import { playYear, sqliteYear } from "../harness/RetentionYear.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const day = 86_400_000
const limited: Retention.Retention = { ...Retention.defaults, engagements: 90 * day, leads: 90 * day }

describe("a year at 10 engagements a minute with one webhook", () => {
  it.runIf(isThorough)("stays within the bounds that docs/operations.md states [RET-1, RET-4]", async () => {
    const operations = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8")
    const [, outbox, whole] = /on SQLite.*?outbox stays below (\d+) MB.*?file below ([\d.]+) GB/s.exec(
      operations
    )!
    const reports = await playYear(
      { store: sqliteYear(emptyStoreFile()), scale: 100, days: 365, retention: limited },
      (at) => at % 15 === 0
    )
    expect(Math.max(...reports.map((report) => report.outbox))).toBeLessThan(Number(outbox) * 1e6)
    expect(Math.max(...reports.map((report) => report.whole))).toBeLessThan(Number(whole) * 1e9)
    // Thirty days of deliveries and ninety of engagements, and a day's more; the file holds no more in the end than after five months.
    const last = reports.at(-1)!
    expect(last.deliveries).toBeLessThan(35 * 1440 * 10 * 1.3)
    expect(last.engagements).toBeLessThan(95 * 1440 * 10)
    expect(last.engagements).toBeGreaterThan(85 * 1440 * 10)
    const [, lead, engagement] = /^\| SQLite, when they were pruned [^|]*\| +([\d,]+) \| +([\d,]+) \|$/m
      .exec(operations)!
      .map((figure) => Number(figure.replace(",", "")))
    expect(last.leadBytes / last.leads).toBeLessThan(1.1 * lead!)
    expect(last.engagementBytes / last.engagements).toBeLessThan(1.1 * engagement!)
    const fifth = reports.find((report) => report.day === 150)!
    expect(last.whole).toBeLessThan(fifth.whole * 1.15)
  })
})

const oneBrand = Effect.gen(function* () {
  const brand = yield* Brands.create("B")
  const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
  const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
  const observe = (from: number, to: number) =>
    recordObservations(
      brand,
      Array.from({ length: to - from }, (_, i) => ({
        signalId: signal.id,
        person: { extId: `p${from + i}`, name: `Zacharias ${from + i}` },
        engagement: { id: `e${from + i}`, commentText: `canary-${from + i}`, type: "comment" }
      }))
    )
  return { brand, observe }
})

const totalOf = (brandId: string, query: Readonly<Record<string, string>>) =>
  Effect.flatMap(LeadStore, (store) =>
    Effect.map(
      store.list(brandId, Either.getOrThrow(LeadQueries.readList(Object.entries(query)))),
      ({ total }) => total
    )
  )

describe("pruning on SQLite", () => {
  it("keeps totals right that were cached, also when it shares a commit with observations [RET-7, LIST-5]", async () => {
    const clock = new SettableClock(Date.UTC(2026, 0, 1))
    const layer = Layer.merge(SqliteStore.layer({ filename: emptyStoreFile(), synced: false }), webCrypto)
    const totals = await Effect.gen(function* () {
      const { brand, observe } = yield* oneBrand
      const pruning = yield* Pruning
      yield* observe(0, 30)
      clock.millis += 2 * day
      const search = { search: "zacharias" }
      yield* RetentionRounds.pruneNow({ ...Retention.keepAll, events: day })
      const before = yield* totalOf(brand.id, search)
      const piece = {
        kind: "leads" as const,
        before: clock.millis - day,
        after: null,
        limit: 20,
        lease: null
      }
      // Two writes of one tick: one transaction, of which one half records its changes.
      yield* Effect.all([observe(30, 35), pruning.prune(piece)], { concurrency: 2 })
      const after = yield* totalOf(brand.id, search)
      return [before, after, yield* totalOf(brand.id, {})]
    }).pipe(clock.provide, Effect.provide(layer), Effect.runPromise)
    expect(totals).toEqual([30, 15, 15])
  })

  it("leaves no byte of what it pruned in the file or its log [RET-6, RET-7]", async () => {
    const clock = new SettableClock(Date.UTC(2026, 0, 1))
    const filename = emptyStoreFile()
    const found = (): boolean =>
      [filename, `${filename}-wal`].some((file) => readFileSync(file).includes("canary-"))
    await Effect.gen(function* () {
      const { observe } = yield* oneBrand
      yield* observe(0, 50)
      clock.millis += 2 * day
      expect(found()).toBe(true)
      const removed = yield* RetentionRounds.pruneNow({ ...Retention.keepAll, events: day, engagements: day })
      expect(removed).toMatchObject({ events: 50, engagements: 50 })
      // A round of pruning empties the log when no reader is in the way.
      yield* Effect.promise(() => expect.poll(found).toBe(false))
    }).pipe(
      clock.provide,
      Effect.provide(Layer.merge(SqliteStore.layer({ filename, synced: true }), webCrypto)),
      Effect.runPromise
    )
  })
})
