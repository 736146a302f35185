/** Work that a commit does once, however often its observations name the same person or text. */
import { Brands, LeadStore, recordObservations, Signals, SortOrder } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { SettableClock } from "@lead-signals/store-contract"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import { afterEach, expect, it, vi } from "vitest"
import { filesIn, temporaryFolder } from "../harness/TemporaryFolder.ts"

const newFile = filesIn(temporaryFolder(), "once")

afterEach(() => void vi.restoreAllMocks())

const storeOfBrand = async () => {
  const filename = newFile()
  const runtime = ManagedRuntime.make(
    Layer.merge(SqliteStore.layer({ filename, synced: false, maxUnindexed: 0 }), webCrypto)
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
  return { brand, record, runtime }
}

it("hashes each person of a commit once, engaged or author [PII-3]", async () => {
  const { record, runtime } = await storeOfBrand()
  const encoded = vi.spyOn(TextEncoder.prototype, "encode")
  await record(
    { extId: "ada", name: "Ada", author: "author" },
    { extId: "bea", name: "Bea", author: "author" },
    { extId: "ada", name: "Ada", author: "bea" },
    { extId: "ada", name: "Ada", author: "author" }
  )
  const hashed = encoded.mock.calls
    .map(([text]) => text)
    .filter((text) => /^(ada|bea|author)$/.test(text ?? ""))
  expect(hashed).toEqual(["ada", "author", "bea"])
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
