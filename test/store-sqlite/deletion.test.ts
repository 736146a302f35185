/** A brand, or a webhook by `removeWebhookPiece`, is deleted in pieces: each whole or not at all, others are served meanwhile, and nothing stays in the file. */
import {
  Brands,
  BrandStore,
  Campaigns,
  defaultSending,
  Deliveries,
  Keys,
  KeyStore,
  LeadQueries,
  Leads,
  LeadStore,
  recordInOneCommit,
  Signals,
  WebhookStore
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Fiber, Layer, ManagedRuntime, Option } from "effect"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { filesBeside } from "../harness/FilesBeside.ts"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"

/** The ranks of a brand's 130 leads begin in several places, each of which holds a lead's name. */
const maxBucketLeads = 50

const open = (filename: string) =>
  ManagedRuntime.make(Layer.merge(SqliteStore.layer({ filename, rankIndex: { maxBucketLeads } }), webCrypto))

const source = {
  type: "post-url" as const,
  value: "https://x.example/quincunx",
  liCompanyId: null,
  company: null
}

/** A brand with leads; what is personal of it contains the word. */
const fill = (word: string, leads: number) =>
  Effect.gen(function* () {
    const brand = yield* Brands.create(`${word} brand`)
    const { id: signalId } = yield* Signals.create(brand.id, {
      name: `${word} signal`,
      signalType: "t",
      source: { ...source, value: `https://x.example/${word}` }
    })
    yield* Keys.create(brand.id, { label: `${word} key`, requestsPerMinute: 7 })
    const campaign = yield* Campaigns.create(brand.id, `${word} campaign`)
    const totals = { impressions: 1, reactions: 1, comments: 1, reposts: 1 }
    yield* Campaigns.putReading(brand.id, campaign.id, { postId: `${word} post`, day: "2026-01-02", totals })
    const outcomes = yield* recordInOneCommit(
      brand,
      Array.from({ length: leads }, (_, i) => ({
        signalId,
        person: { extId: `${word}-${i}`, name: `${word} ${i}`, headline: `${word} headline` },
        engagement: { id: `e${i}`, type: "comment", commentText: `${word} says ${i}`, postContent: word }
      }))
    )
    yield* Leads.erase(brand, outcomes[5]!.leadId!)
    return brand
  })

const opened = async (leads: number) => {
  const filename = emptyStoreFile()
  const process = open(filename)
  const [gone, kept] = await process.runPromise(Effect.all([fill("quillfeather", leads), fill("plain", 20)]))
  return { filename, process, gone, kept }
}

/** More hashes of erased persons, and readings, than one transaction removes. */
const addMany = (filename: string, brandId: string): void => {
  const raw = new Database(filename)
  const numbers = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5100)"
  raw.prepare(`${numbers} INSERT INTO suppression SELECT ?, 'hash' || i, 0 FROM n`).run(brandId)
  raw
    .prepare(
      `${numbers} INSERT INTO reading SELECT c.id, 'post' || i, '2026-01-01', 1, 1, 1, 1 FROM n, campaign c WHERE c.brand_id = ?`
    )
    .run(brandId)
  raw.close()
}

/** The files of the store that hold the text. */
const holds = (filename: string, text: string): ReadonlyArray<string> =>
  filesBeside(filename).filter((file) => readFileSync(file).includes(text))

const found = (brandId: string, search: string) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    const query = yield* LeadQueries.readList([["search", search]])
    return (yield* store.list(brandId, query)).total
  })

it("leaves nothing of a deleted brand in any file, and the rest as it was [DEL-1, PII-3]", async () => {
  const { filename, gone, kept, process } = await opened(130)
  addMany(filename, gone.id)
  await process.runPromise(
    Effect.gen(function* () {
      const keyStore = yield* KeyStore
      const [key] = yield* keyStore.list(kept.id)
      const left: Array<number> = []
      for (let isFinished = false; !isFinished;) {
        const step = yield* Brands.deleteSome(gone.id)
        left.push(step.leadsLeft)
        isFinished = step.isFinished
      }
      expect(left).toEqual([0])
      expect(yield* found(kept.id, "plain")).toBe(19)
      expect(yield* found(gone.id, "quillfeather")).toBe(0)
      expect(yield* keyStore.list(kept.id)).toEqual([key])
    })
  )
  for (const text of ["quillfeather", gone.suppressionSecret]) expect(holds(filename, text)).toEqual([])
  expect(holds(filename, "plain headline")).not.toEqual([])
  await process.dispose()
  const raw = new Database(filename, { readonly: true })
  for (const table of [
    "lead",
    "engagement",
    "event",
    "suppression",
    "api_key",
    "campaign",
    "lead_count",
    "lead_day_count"
  ]) {
    expect([
      table,
      raw.prepare(`SELECT count(*) FROM ${table} WHERE brand_id = ?`).pluck().get(gone.id)
    ]).toEqual([table, 0])
  }
  expect(raw.prepare("SELECT count(*) FROM reading").pluck().get()).toBe(1)
  raw.close()
  expect(await Effect.runPromise(SqliteStore.check(filename))).toMatchObject({
    problems: [],
    counts: { brands: 1, signals: 1, campaigns: 1, leads: 19, erased: 1 }
  })
})

it("takes with the brand a campaign whose own deletion has begun [DEL-1, DEL-3, PII-3]", async () => {
  const { filename, gone, process } = await opened(10)
  const raw = new Database(filename)
  raw.prepare("UPDATE campaign SET deleted_at = 1 WHERE brand_id = ?").run(gone.id)
  await process.runPromise(Brands.deleteSome(gone.id))
  await process.dispose()
  expect(raw.prepare("SELECT name FROM campaign").pluck().all()).toEqual(["plain campaign"])
  raw.close()
})

it("goes on after the process ended between two pieces, and serves others between them [DEL-1]", async () => {
  const { filename, gone, kept, process } = await opened(450)
  const [left, others] = await process.runPromise(
    Effect.gen(function* () {
      const [brandStore, store] = yield* Effect.all([BrandStore, LeadStore])
      yield* brandStore.startDeletion(gone.id, 1)
      const removing = yield* Effect.fork(store.removeSome(gone.id))
      const others = yield* found(kept.id, "plain")
      return [yield* Fiber.join(removing), others] as const
    })
  )
  expect([left, others]).toEqual([349, 19])
  await process.dispose()
  expect((await Effect.runPromise(SqliteStore.check(filename))).problems).toEqual([])

  const next = open(filename)
  await next.runPromise(
    Effect.gen(function* () {
      const brandStore = yield* BrandStore
      expect((yield* brandStore.list).map(({ deletionStartedAt }) => deletionStartedAt)).toEqual([1, null])
      expect(yield* found(gone.id, "quillfeather")).toBe(349)
      expect(yield* Brands.deleteSome(gone.id)).toEqual({ isFinished: true, leadsLeft: 0 })
      expect((yield* brandStore.list).map(({ id }) => id)).toEqual([kept.id])
    })
  )
  await next.dispose()
  expect(holds(filename, "quillfeather")).toEqual([])
})

it("disables a webhook with the first of its deliveries that go, and ends its deletion later [DELIV-2, DELIV-8]", async () => {
  const { filename, kept, process } = await opened(10)
  await process.runPromise(
    Effect.gen(function* () {
      const [deliveries, webhookStore] = yield* Effect.all([Deliveries, WebhookStore])
      const { id } = yield* webhookStore.create({
        brandId: kept.id,
        url: "https://receiver.example/",
        events: ["activity.detected"],
        description: null,
        enabled: true,
        disabledReason: null,
        ...defaultSending,
        failingSince: null,
        secrets: { current: "whsec_x", previous: null },
        createdAt: 0
      })
      const signal = yield* Signals.create(kept.id, { name: "many", signalType: "t", source })
      const engagements = Array.from({ length: 1100 }, (_, i) => ({
        signalId: signal.id,
        person: { extId: "many", name: "Many" },
        engagement: { id: `many ${i}` }
      }))
      yield* recordInOneCommit(kept, engagements)
      const page = { page: 1, pageSize: 1 }
      const state = Effect.all([
        Effect.map(deliveries.list(id, { state: null, page }), ({ total }) => total),
        Effect.map(webhookStore.get(kept.id, id), (webhook) => Option.getOrNull(webhook)?.enabled)
      ])
      expect(yield* state).toEqual([1100, true])
      const deletion = yield* Effect.fork(webhookStore.delete(kept.id, id))
      // A piece waits for the disk, so that this goes on.
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(deletion)
      expect(yield* state).toEqual([600, false])
      expect(yield* webhookStore.delete(kept.id, id)).toBe(true)
      expect(yield* state).toEqual([0, undefined])
    })
  )
  await process.dispose()
  expect((await Effect.runPromise(SqliteStore.check(filename))).problems).toEqual([])
})
