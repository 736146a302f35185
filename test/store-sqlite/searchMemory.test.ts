/** Searches in memory: what they find, and that they answer for the state of the file whatever changes it. */
import {
  Brands,
  Folding,
  type LeadFilter,
  Leads,
  LeadStore,
  recordObservations,
  Signals,
  SortOrder
} from "@lead-signals/domain"
import { matchesFilter } from "@lead-signals/domain/pure"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { type SearchableLead, SearchMemory } from "@lead-signals/store-sqlite/internal"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import fc from "fast-check"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { afterEach, describe, expect, it, vi } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { cases } from "../harness/Thoroughness.ts"

const folder = temporaryFolder()
let number = 0

afterEach(() => void vi.restoreAllMocks())

const sorts = ["createdAt", "updatedAt", "name", "score1"].flatMap((field) =>
  ["asc", "desc"].map((direction) => Either.getOrThrow(SortOrder.parse(`${field}:${direction}`)))
)

const text = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom("a", "a", "A", "b", "é", "ß", "日", "😀", " "), minLength: 1, maxLength })

const lead = fc.record({
  id: fc.integer({ min: 1, max: 40 }),
  // Some have equal names, or names that differ late.
  name: fc
    .tuple(fc.constantFrom("", "aab", "aaaaaaa"), fc.oneof(fc.constant("a"), text(4)))
    .map((parts) => parts.join("")),
  headline: fc.option(text(14)),
  flags: fc.integer({ min: 0, max: 7 }),
  score1: fc.option(fc.constantFrom(0, 1.5, 99)),
  createdAt: fc.integer({ min: 0, max: 5 }),
  updatedAt: fc.integer({ min: 5, max: 9 })
})

const has = (bits: number, flag: number): boolean => (bits & flag) !== 0

const instant = (min: number, max: number) => fc.integer({ min, max })

/** Mostly none or one: more let nothing through. */
const filterOf: fc.Arbitrary<LeadFilter> = fc.oneof(
  fc.constant({}),
  fc.record({ qualified: fc.boolean() }),
  fc.record({ exported: fc.boolean(), isEmployee: fc.boolean() }),
  fc.record({ createdAfter: instant(0, 5) }),
  fc.record({ createdBefore: instant(0, 5), updatedAfter: instant(5, 9) }),
  fc.record({ updatedBefore: instant(5, 9) })
)

/** By the rule of the order, as slowly as it is simple. */
const compareBy =
  ({ direction, field }: SortOrder.SortOrder) =>
  (a: SearchableLead, b: SearchableLead): number => {
    const sign = direction === "asc" ? 1 : -1
    if (field === "name") {
      const order = Folding.compareCodePoints(Folding.fold(a.name), Folding.fold(b.name))
      return sign * order || a.id - b.id
    }
    if (a[field] === null || b[field] === null) {
      return Number(a[field] === null) - Number(b[field] === null) || a.id - b.id
    }
    return sign * (a[field] - b[field]) || a.id - b.id
  }

describe("a memory of texts", () => {
  it("finds, counts and orders what a scan does, after drawn changes [LIST-4, LIST-5, SORT-3, SORT-5, SORT-6]", () => {
    fc.assert(
      fc.property(
        fc.record({
          partLeads: fc.integer({ min: 1, max: 9 }),
          joinedParts: fc.integer({ min: 2, max: 4 }),
          scannedLeads: fc.integer({ min: 1, max: 5 })
        }),
        fc.array(lead, { maxLength: 60 }),
        fc.array(fc.oneof(lead, fc.integer({ min: 1, max: 40 })), { maxLength: 30 }),
        fc.array(
          fc.tuple(
            fc.oneof(text(5), fc.constantFrom("aab", "aaa")),
            filterOf,
            fc.constantFrom(...sorts),
            fc.nat(6),
            fc.nat(6)
          ),
          {
            minLength: 5
          }
        ),
        (sizes, read, changed, searches) => {
          const memory = new SearchMemory(sizes)
          const there = new Map<number, SearchableLead>()
          const put = (each: SearchableLead): void => {
            memory.put(each)
            there.set(each.id, each)
          }
          read.forEach(put)
          memory.endLoading()
          for (const change of changed) {
            if (typeof change !== "number") put(change)
            else {
              memory.remove(change)
              there.delete(change)
            }
          }
          for (const [needle, flags, sort, offset, limit] of searches) {
            const filter = { ...flags, search: Folding.fold(needle) }
            if (Buffer.byteLength(filter.search) < 3) continue
            const expected = [...there.values()]
              .filter((each) =>
                matchesFilter(
                  filter,
                  {
                    ...each,
                    signalIds: [],
                    qualified: has(each.flags, 1),
                    exported: has(each.flags, 2),
                    isEmployee: has(each.flags, 4)
                  },
                  (part) => [each.name, each.headline ?? ""].some((own) => Folding.fold(own).includes(part))
                )
              )
              .sort(compareBy(sort))
              .map(({ id }) => id)
            expect(memory.search({ filter, sort, offset, limit })).toEqual({
              total: expected.length,
              ids: expected.slice(offset, offset + limit)
            })
          }
        }
      ),
      { numRuns: cases(150) }
    )
  })
})

const open = (filename: string) =>
  ManagedRuntime.make(
    Layer.merge(
      SqliteStore.layer({
        filename,
        synced: false,
        maxEffort: 0,
        searchTexts: { minLeads: 1, pauseMillis: 0, pieceLeads: 2 }
      }),
      webCrypto
    )
  )

const jobs = (posted: { readonly mock: { readonly calls: ReadonlyArray<ReadonlyArray<unknown>> } }) =>
  posted.mock.calls.map(([job]) => (job as { readonly kind: string }).kind)

/** A brand of three people, in a store that has its texts in memory. */
const storeWithMemory = async () => {
  const filename = join(folder, `memory-${++number}.sqlite`)
  const here = open(filename)
  const names = ["Marla Kessin", "Tomar Lakes", "Nobody"]
  const { brand, signalId } = await here.runPromise(
    Effect.gen(function* () {
      const brand = yield* Brands.create("B")
      const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
      const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
      return { brand, signalId: signal.id }
    })
  )
  const record = (through: typeof here, people: ReadonlyArray<readonly [extId: string, name: string]>) =>
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
  const found = async (search: string) => {
    const { leads, total } = await here.runPromise(
      Effect.flatMap(LeadStore, (store) =>
        store.list(brand.id, {
          filter: { search },
          sort: sorts[4]!,
          page: { page: 1, pageSize: 10 },
          engagements: "none"
        })
      )
    )
    expect(total).toBe(leads.length)
    return leads.map((each) => each.lead.profile.name)
  }
  /** Searches until memory answers. */
  const untilFound = async (search: string) => {
    for (;;) {
      posted.mockClear()
      const names = await found(search)
      const kinds = jobs(posted)
      if (kinds.includes("searchLeads") && !kinds.includes("listLeads")) return names
      await pause(5)
    }
  }
  await untilFound("mar")
  return { brand, filename, here, record, found, posted, untilRemembered: untilFound }
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

  it("forgets an erased person's texts, and answers from the file until it has read them anew [PII-3]", async () => {
    const { brand, found, here, posted, untilRemembered: untilFound } = await storeWithMemory()
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
    expect(jobs(posted)).toContain("forgetLeads")
    expect(await found("mar")).toEqual(["Tomar Lakes"])
    expect(await found("kessin")).toEqual([])
    expect(await untilFound("mar")).toEqual(["Tomar Lakes"])
    await here.dispose()
  })

  it("finds what another process has written [LIST-4, LIST-5]", async () => {
    const { filename, found, here, record, untilRemembered: untilFound } = await storeWithMemory()
    const elsewhere = open(filename)
    await record(elsewhere, [["p4", "Samara Elsewhere"]])
    expect(await found("mar")).toEqual(["Marla Kessin", "Samara Elsewhere", "Tomar Lakes"])
    await record(here, [["p5", "Amar Here"]])
    expect(await found("mar")).toEqual(["Amar Here", "Marla Kessin", "Samara Elsewhere", "Tomar Lakes"])
    await untilFound("mar")
    await record(elsewhere, [["p4", "Sama Elsewhere"]])
    await record(here, [["p6", "Emar Here"]])
    expect(await untilFound("mar")).toEqual(["Amar Here", "Emar Here", "Marla Kessin", "Tomar Lakes"])
    await Promise.all([here.dispose(), elsewhere.dispose()])
  })
})
