/** Work that a commit does once, however often its observations name the same person or text. */
import {
  Brands,
  Leads,
  LeadStore,
  recordObservations,
  Signals,
  SortOrder,
  Webhooks,
  WebhookTargets
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { SettableClock } from "@lead-signals/store-contract"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import { afterEach, expect, it, vi } from "vitest"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"

afterEach(() => void vi.restoreAllMocks())

const storeOfBrand = async () => {
  const filename = emptyStoreFile()
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(
      SqliteStore.layer({ filename, synced: false, maxUnindexed: 0 }),
      webCrypto,
      Layer.succeed(WebhookTargets, { check: (url) => Effect.succeed(url) })
    )
  )
  const { brand, signalId } = await runtime.runPromise(
    Effect.gen(function* () {
      const brand = yield* Brands.create("B")
      const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
      const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
      return { brand, signalId: signal.id }
    })
  )
  let engagements = 0
  // What is seen in one millisecond with the text that is there does not replace it.
  const clock = new SettableClock(Date.UTC(2026, 0, 1))
  const record = async (
    ...people: ReadonlyArray<{ extId: string; name: string; headline?: string; author?: string }>
  ) => {
    clock.millis += 1000
    const outcomes = await runtime.runPromise(
      recordObservations(
        brand,
        people.map(({ author, ...person }) => ({
          signalId,
          person,
          engagement: {
            id: `e${++engagements}`,
            ...(author === undefined ? {} : { postAuthorDetail: { extId: author } })
          }
        }))
      ).pipe(clock.provide)
    )
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(["recorded"]))
  }
  return { brand, filename, record, runtime }
}

it("hashes each person of a commit once, engaged or author, and nobody before the brand has erased somebody [PII-3]", async () => {
  const { brand, record, runtime } = await storeOfBrand()
  const encoded = vi.spyOn(TextEncoder.prototype, "encode")
  const hashed = async () => {
    encoded.mockClear()
    await record(
      { extId: "ada", name: "Ada", author: "author" },
      { extId: "bea", name: "Bea", author: "author" },
      { extId: "ada", name: "Ada", author: "bea" },
      { extId: "ada", name: "Ada", author: "author" }
    )
    const texts = encoded.mock.calls.map(([text]) => text)
    return texts.filter((text) => /^(ada|bea|author)$/.test(text ?? ""))
  }
  expect(await hashed()).toEqual([])
  await record({ extId: "cid", name: "Cid" })
  await runtime.runPromise(Leads.erase(brand, 3))
  expect(await hashed()).toEqual(["ada", "author", "bea"])
  await runtime.dispose()
})

it("folds each text once when it is new, and none that stays as it was [LIST-4, SORT-6]", async () => {
  const { brand, record, runtime } = await storeOfBrand()
  // Only texts beyond ASCII are normalized, by the first step of folding.
  const normalized = vi.spyOn(String.prototype, "normalize")
  const folded = async (...people: ReadonlyArray<{ extId: string; name: string; headline: string }>) => {
    normalized.mockClear()
    await record(...people)
    const texts = normalized.mock.contexts.map(String)
    return texts.filter((text) => /^[A-ZÄÜ]/.test(text)).sort()
  }
  const zoe = { extId: "z", name: "Zoë Ünal", headline: "Ärztin" }
  expect(await folded(zoe, { ...zoe })).toEqual(["Zoë Ünal", "Ärztin"].sort())
  expect(await folded({ ...zoe })).toEqual([])
  // The search index holds both texts in one row: the row is taken out by what it was, and put in anew.
  expect(await folded({ ...zoe, headline: "Übersetzerin" })).toEqual(
    ["Zoë Ünal", "Ärztin", "Übersetzerin"].sort()
  )
  expect(await folded({ ...zoe, name: "Zoë Åkesson", headline: "Übersetzerin" })).toEqual(
    ["Zoë Ünal", "Zoë Åkesson", "Übersetzerin"].sort()
  )
  const { leads } = await runtime.runPromise(
    Effect.flatMap(LeadStore, (store) =>
      store.list(brand.id, {
        filter: { search: "åkesson" },
        sort: Either.getOrThrow(SortOrder.parse("name:asc")),
        page: { page: 1, pageSize: 10 },
        engagements: "none"
      })
    )
  )
  expect(leads.map(({ lead }) => lead.profile.name)).toEqual(["Zoë Åkesson"])
  await runtime.dispose()
})

it("gives each event its own deliveries, however many events share a statement [EVT-2, EVT-3, EVT-7]", async () => {
  const { brand, filename, record, runtime } = await storeOfBrand()
  const create = (...events: ReadonlyArray<"lead2.created" | "activity.detected">) =>
    runtime.runPromise(
      Webhooks.create(brand.id, { url: "https://r.example/", events, description: null, enabled: false })
    )
  const both = Number((await create("lead2.created", "activity.detected")).id)
  const activities = Number((await create("activity.detected")).id)
  const expected: Array<ReadonlyArray<unknown>> = []
  let persons = 0
  // New persons fire two events each, known ones one: from none to a few more than fit a statement.
  for (const [fresh, known] of [
    [1, 0],
    [9, 1],
    [10, 0],
    [10, 1],
    [33, 7]
  ] as const) {
    const extIds = Array.from({ length: fresh + known }, (_, i) => `p${i < fresh ? persons + i : 0}`)
    const before = expected.filter(([webhook]) => webhook === activities).length
    persons += fresh
    await record(...extIds.map((extId) => ({ extId, name: extId })))
    for (const [i, extId] of extIds.entries()) {
      const engagement = `e${before + i + 1}`
      if (i < fresh) expected.push([both, "lead2.created", engagement, extId, 0])
      for (const webhook of [both, activities])
        expected.push([webhook, "activity.detected", engagement, extId, Number(i < fresh)])
    }
  }
  await runtime.dispose()
  const db = new Database(filename, { readonly: true })
  const queued = db
    .prepare(
      `SELECT d.webhook_id, e.event, e.engagement_id, l.ext_id, e.is_first_activity
       FROM delivery d JOIN event e ON e.position = d.position JOIN lead l ON l.id = e.lead_id ORDER BY d.seq`
    )
    .raw()
    .all()
  expect(queued).toEqual(expected)
  expect(db.prepare("SELECT position FROM event ORDER BY position").pluck().all()).toEqual(
    expected.flatMap(([webhook]) => (webhook === both ? [0] : [])).map((_, i) => i + 1)
  )
  db.close()
})
