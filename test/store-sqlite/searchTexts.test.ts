/** Searches of a store that a thread answers from memory, and what that thread must follow. */
import {
  Brands,
  type LeadFilter,
  Leads,
  LeadStore,
  recordObservations,
  Signals,
  SortOrder
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { SearchMemory } from "@lead-signals/store-sqlite/internal"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import { setTimeout as pause } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { afterEach, describe, expect, it, vi } from "vitest"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"

afterEach(() => void vi.restoreAllMocks())

const sorts = ["createdAt", "updatedAt", "name", "score1"].flatMap((field) =>
  ["asc", "desc"].map((direction) => Either.getOrThrow(SortOrder.parse(`${field}:${direction}`)))
)

const open = (filename: string, { maxBytes = 2 ** 30 }: { readonly maxBytes?: number } = {}) =>
  ManagedRuntime.make(
    Layer.merge(
      SqliteStore.layer({
        filename,
        synced: false,
        maxEffort: 0,
        searchTexts: { minLeads: 1, maxBytes, pauseMillis: 0, pieceLeads: 2 }
      }),
      webCrypto
    )
  )

const jobs = (posted: { readonly mock: { readonly calls: ReadonlyArray<ReadonlyArray<unknown>> } }) =>
  posted.mock.calls.map(([job]) => (job as { readonly kind: string }).kind)

/** The jobs that answer lists. */
const searchesOf = (posted: Parameters<typeof jobs>[0]) =>
  jobs(posted).filter((kind) => kind === "searchLeads" || kind === "listLeads")

const brandWithSignal = (name: string) =>
  Effect.gen(function* () {
    const brand = yield* Brands.create(name)
    const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
    const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
    return { brand, signalId: signal.id }
  })

const allByName = (search: string, filter: Omit<LeadFilter, "search"> = {}) => ({
  filter: { search, ...filter },
  sort: sorts[4]!,
  page: { page: 1, pageSize: 10 },
  engagements: "none" as const
})

/** A brand of three people, in a store that has its texts in memory. */
const storeWithMemory = async (options: { readonly maxBytes?: number } = {}) => {
  const filename = emptyStoreFile()
  const here = open(filename, options)
  const names = ["Marla Kessin", "Tomar Lakes", "Nobody"]
  const made = await here.runPromise(brandWithSignal("B"))
  const { brand } = made
  const record = (
    through: typeof here,
    people: ReadonlyArray<readonly [extId: string, name: string]>,
    { brand, signalId } = made
  ) =>
    through.runPromise(
      recordObservations(
        brand,
        people.map(([extId, name]) => ({
          signalId,
          person: { extId, name },
          engagement: { id: `e ${extId} ${name}` }
        }))
      )
    )
  await record(
    here,
    names.map((name, i) => [`p${i}`, name])
  )
  const posted = vi.spyOn(Worker.prototype, "postMessage")
  const found = async (search: string, filter: Omit<LeadFilter, "search"> = {}) => {
    const { leads, total } = await here.runPromise(
      Effect.flatMap(LeadStore, (store) => store.list(brand.id, allByName(search, filter)))
    )
    expect(total).toBe(leads.length)
    return leads.map((each) => each.lead.profile.name)
  }
  /** Searches until memory answers. */
  const untilFound = async (search: string) => {
    for (;;) {
      const before = posted.mock.calls.length
      const names = await found(search)
      const kinds = jobs({ mock: { calls: posted.mock.calls.slice(before) } })
      if (kinds.includes("searchLeads") && !kinds.includes("listLeads")) return names
      await pause(5)
    }
  }
  await untilFound("mar")
  return { brand, filename, here, record, found, posted, untilFound }
}

describe("a search in memory", () => {
  it("finds what was recorded, renamed and updated a moment before [LIST-4, LIST-5]", async () => {
    const { found, here, posted, record } = await storeWithMemory()
    expect(await found("mar")).toEqual(["Marla Kessin", "Tomar Lakes"])
    posted.mockClear()
    await record(here, [["p3", "Omara New"]])
    expect(await found("mar")).toEqual(["Marla Kessin", "Omara New", "Tomar Lakes"])
    await record(here, [["p1", "Tomas Lakes"]])
    expect(await found("mar")).toEqual(["Marla Kessin", "Omara New"])
    expect(await found("tomas")).toEqual(["Tomas Lakes"])
    expect(new Set(jobs(posted))).toEqual(new Set(["searchLeads"]))
    await here.dispose()
  })

  it("forgets an erased person's texts, and answers on without reading the brand anew [PII-3]", async () => {
    const { brand, found, here, posted } = await storeWithMemory()
    posted.mockClear()
    const erased = await here.runPromise(
      Effect.gen(function* () {
        const store = yield* LeadStore
        const { leads } = yield* store.list(brand.id, {
          filter: { search: "kessin" },
          sort: sorts[0]!,
          page: { page: 1, pageSize: 10 },
          engagements: "none"
        })
        yield* Leads.erase(brand, leads[0]!.lead.id)
        return leads.length
      })
    )
    expect(erased).toBe(1)
    // Before any search asks for it.
    expect(jobs(posted)).toContain("followLeads")
    expect(await found("mar")).toEqual(["Tomar Lakes"])
    expect(await found("kessin")).toEqual([])
    expect(jobs(posted)).not.toContain("listLeads")
    expect(jobs(posted)).not.toContain("rememberLeads")
    await here.dispose()
  })

  it("goes on while leads of another brand are erased, and while that brand is deleted [LIST-4, PII-3]", async () => {
    const { found, here, posted, record } = await storeWithMemory()
    const other = await here.runPromise(brandWithSignal("C"))
    await record(
      here,
      [
        ["q0", "Omara Else"],
        ["q1", "Temar Else"]
      ],
      other
    )
    await here.runPromise(
      Effect.gen(function* () {
        const store = yield* LeadStore
        const { leads } = yield* store.list(other.brand.id, allByName("mar"))
        yield* Leads.erase(other.brand, leads[0]!.lead.id)
      })
    )
    posted.mockClear()
    expect(await found("mar")).toEqual(["Marla Kessin", "Tomar Lakes"])
    expect(await here.runPromise(Brands.deleteSome(other.brand.id))).toMatchObject({ isFinished: true })
    expect(await found("mar")).toEqual(["Marla Kessin", "Tomar Lakes"])
    expect(searchesOf(posted)).toEqual(["searchLeads", "searchLeads"])
    await here.dispose()
  })

  it("finds what another process has written, without reading the brand anew [LIST-4, LIST-5, PII-3]", async () => {
    const { brand, filename, found, here, posted, record } = await storeWithMemory()
    const elsewhere = open(filename)
    posted.mockClear()
    await record(elsewhere, [["p4", "Samara Elsewhere"]])
    expect(await found("mar")).toEqual(["Marla Kessin", "Samara Elsewhere", "Tomar Lakes"])
    await record(here, [["p5", "Amar Here"]])
    expect(await found("mar")).toEqual(["Amar Here", "Marla Kessin", "Samara Elsewhere", "Tomar Lakes"])
    await record(elsewhere, [["p4", "Sama Elsewhere"]])
    await record(here, [["p6", "Emar Here"]])
    expect(await found("mar")).toEqual(["Amar Here", "Emar Here", "Marla Kessin", "Tomar Lakes"])
    expect(new Set(searchesOf(posted))).toEqual(new Set(["searchLeads"]))
    await elsewhere.runPromise(
      Effect.gen(function* () {
        const store = yield* LeadStore
        const { leads } = yield* store.list(brand.id, allByName("emar"))
        yield* Leads.amend(brand.id, leads[0]!.lead.id, { qualified: true })
        const all = yield* store.list(brand.id, allByName("tomar"))
        yield* Leads.erase(brand, all.leads[0]!.lead.id)
      })
    )
    posted.mockClear()
    expect(await found("mar")).toEqual(["Amar Here", "Emar Here", "Marla Kessin"])
    expect(await found("mar", { qualified: true })).toEqual(["Emar Here"])
    expect(new Set(searchesOf(posted))).toEqual(new Set(["searchLeads"]))
    await Promise.all([here.dispose(), elsewhere.dispose()])
  })

  it("answers from the file while memory is far behind, and from memory once it has caught up [LIST-4, LIST-5]", async () => {
    const { filename, found, here, posted, record, untilFound } = await storeWithMemory()
    const elsewhere = open(filename)
    // Two events each: more than are followed at once.
    const many = Array.from({ length: 1050 }, (_, i) => [`m${i}`, `Person ${i}`] as const)
    await record(elsewhere, [...many, ["p7", "Last Marten"]])
    posted.mockClear()
    expect(await found("mar")).toEqual(["Last Marten", "Marla Kessin", "Tomar Lakes"])
    expect(searchesOf(posted)).toContain("listLeads")
    expect(await untilFound("mar")).toEqual(["Last Marten", "Marla Kessin", "Tomar Lakes"])
    expect(await untilFound("person 1049")).toEqual(["Person 1049"])
    expect(jobs(posted)).not.toContain("rememberLeads")
    await Promise.all([here.dispose(), elsewhere.dispose()])
  })

  it("leaves a list without a search to the file where that is sooner [LIST-5, SORT-5, PAGE-1]", async () => {
    const { brand, here, posted, record } = await storeWithMemory()
    const many = Array.from({ length: 97 }, (_, i) => [`m${i}`, `Person ${i}`] as const)
    await record(here, many)
    /** Which jobs answer the first lead of a list, and how many leads the list has. */
    const listed = async (filter: LeadFilter) => {
      posted.mockClear()
      const query = {
        filter,
        sort: sorts[0]!,
        page: { page: 1, pageSize: 1 },
        engagements: "none"
      } as const
      const { total } = await here.runPromise(
        Effect.flatMap(LeadStore, (store) => store.list(brand.id, query))
      )
      return { total, kinds: searchesOf(posted) }
    }
    // The counters know the total, and the index has the page: less than a quarter of a look at each of the hundred.
    expect(await listed({})).toEqual({ total: 100, kinds: ["listLeads"] })
    // To count two windows the file must look at each lead.
    const windows = { createdAfter: 1, updatedAfter: 1, createdBefore: 9e15, updatedBefore: 9e15 }
    expect(await listed(windows)).toEqual({ total: 100, kinds: ["listLeads", "searchLeads"] })
    await here.dispose()
  })

  it("keeps no more bytes than it may, whatever is recorded later [LIST-4]", async () => {
    const { found, here, posted, record } = await storeWithMemory({ maxBytes: 1_250_000 })
    posted.mockClear()
    const many = Array.from(
      { length: 1100 },
      (_, i) => [`m${i}`, `Person ${"lorem ".repeat(12)}${i}`] as const
    )
    await record(here, many)
    // It follows in the background, and finds that the texts have become too large.
    while (!jobs(posted).includes("forgetLeads")) await pause(5)
    expect(await found("mar")).toEqual(["Marla Kessin", "Tomar Lakes"])
    expect(searchesOf(posted).at(-1)).toBe("listLeads")
    await here.dispose()
  })
})

describe("a store without threads", () => {
  it("answers lists that take long in place, from the file and from memory [LIST-4, LIST-5]", () => {
    const filename = emptyStoreFile()
    const store = SqliteStore.layer({
      filename,
      synced: false,
      ticks: SqliteStore.TickScheduler.withoutThreads,
      groupMillis: Number.POSITIVE_INFINITY,
      maxEffort: 0,
      searchTexts: {
        minLeads: 1,
        pauseMillis: 0,
        pieceLeads: 2,
        parts: { partLeads: 2, joinedParts: 2, scannedLeads: 1 }
      }
    })
    const posted = vi.spyOn(Worker.prototype, "postMessage")
    const searched = vi.spyOn(SearchMemory.prototype, "search")
    const program = Effect.gen(function* () {
      const leads = yield* LeadStore
      const { brand, signalId } = yield* brandWithSignal("B")
      const record = (...names: ReadonlyArray<string>) =>
        recordObservations(
          brand,
          names.map((name) => ({ signalId, person: { extId: name, name }, engagement: { id: `e ${name}` } }))
        )
      const found = (search: string) =>
        Effect.map(leads.list(brand.id, allByName(search)), (page) =>
          page.leads.map(({ lead }) => lead.profile.name)
        )
      yield* record("Marla Kessin", "Tomar Lakes", "Nobody", "Omara New", "Somebody")
      const fromFile = yield* found("mar")
      const before = searched.mock.calls.length
      const fromMemory = yield* found("mar")
      const after = searched.mock.calls.length
      yield* record("Martin Newer")
      const { leads: kessin } = yield* leads.list(brand.id, allByName("kessin"))
      yield* Leads.erase(brand, kessin[0]!.lead.id)
      return { fromFile, fromMemory, searches: [before, after], later: yield* found("mar") }
    })
    // It would fail where anything waits.
    const outcome = Effect.runSync(Effect.scoped(Effect.provide(program, Layer.merge(store, webCrypto))))
    expect(outcome).toEqual({
      fromFile: ["Marla Kessin", "Omara New", "Tomar Lakes"],
      fromMemory: ["Marla Kessin", "Omara New", "Tomar Lakes"],
      searches: [0, 1],
      later: ["Martin Newer", "Omara New", "Tomar Lakes"]
    })
    expect(posted).not.toHaveBeenCalled()
  })
})
