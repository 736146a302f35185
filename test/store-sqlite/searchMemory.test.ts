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
import {
  DriverConnection,
  isAnswerable,
  type SearchableLead,
  SearchIndex,
  SearchMemory
} from "@lead-signals/store-sqlite/internal"
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

/**
 * Characters that fold to others, to several, or together; that take one to four bytes of UTF-8 with bytes in common; that other indexes
 * take for a wildcard, a quote or a break; and a part of each that is a text of its own.
 */
const hostile = [
  ..."aAbiIİıßẞſςΣσﬁΐKÅåé가각가ㄱ日本ｱﾞあ😀😁👩💻𐐀𐐨ⅷ㎏﷽",
  ..."\u0301\u030a\u0307\u0345\u200d\u00a0\u0085\uffff\u{10ffff}\u0e33\u0e4d\u0627\u0651",
  ..." %_*\"'\\()^-:"
]
const hostileText = (maxLength: number) =>
  fc.string({
    unit: fc.oneof(fc.constantFrom(...hostile), fc.constantFrom("a", "ß", "\u0301")),
    minLength: 1,
    maxLength
  })

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

  it("finds what FTS5 and a comparison of the texts find, whatever the characters [LIST-4, LIST-5]", () => {
    const person = fc.record({
      name: hostileText(12),
      headline: fc.option(hostileText(30))
    })
    const needles = fc.array(
      fc.oneof(hostileText(6), hostileText(3), fc.constantFrom("a\u0000a", "\u0000aa")),
      {
        minLength: 4,
        maxLength: 8
      }
    )
    let found = 0
    fc.assert(
      fc.property(
        fc.array(person, { minLength: 1, maxLength: 12 }),
        needles,
        fc.nat(),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        (people, drawn, place, length, isScanned) => {
          const memory = new SearchMemory({ partLeads: 5, joinedParts: 2, scannedLeads: isScanned ? 99 : 1 })
          // Those behind the first stay without postings, where they are to be scanned.
          const sql = new DriverConnection(":memory:", { readonly: false, busyMillis: 0 })
          sql.run("CREATE VIRTUAL TABLE lead_text USING fts5(name, headline, content='', tokenize='ascii')")
          sql.run(
            "CREATE VIRTUAL TABLE lead_gram USING fts5(grams, content='', detail=none, tokenize='ascii')"
          )
          people.forEach(({ headline, name }, i) => {
            if (i === 1) memory.endLoading()
            const at = { flags: 0, score1: null, createdAt: 0, updatedAt: 0 }
            memory.put({ id: i + 1, name, headline, ...at })
            const { grams, ...texts } = SearchIndex.searchTexts(1, name, headline)
            sql.run("INSERT INTO lead_text (rowid, name, headline) VALUES (?, ?, ?)", [
              i + 1,
              texts.name,
              texts.headline
            ])
            sql.run("INSERT INTO lead_gram (rowid, grams) VALUES (?, ?)", [i + 1, grams])
          })
          memory.endLoading()
          // A part of what is there, which can begin within what a character folds to.
          const text = Folding.fold(people[place % people.length]!.name)
          const parts = [text, text.slice(place % text.length).slice(0, length)]
          for (const needle of [...drawn.map(Folding.fold), ...parts]) {
            if (needle === "" || !needle.isWellFormed()) continue
            const ids = people.flatMap(({ headline, name }, i) =>
              SearchIndex.isFoundBy(needle, name, headline) ? [i + 1] : []
            )
            found += ids.length
            const match = SearchIndex.matchOf(1, needle)
            const matched =
              match === null
                ? []
                : sql
                    .column<number>(
                      `SELECT rowid FROM ${match.table} WHERE ${match.table} MATCH ? ORDER BY rowid`,
                      [SearchIndex.phraseOf(match.tokens)]
                    )
                    .filter((id) =>
                      SearchIndex.isFoundBy(needle, people[id - 1]!.name, people[id - 1]!.headline)
                    )
            expect([needle, matched]).toEqual([needle, ids])
            if (!isAnswerable({ search: needle })) continue
            const searched = memory.search({
              filter: { search: needle },
              sort: sorts[0]!,
              offset: 0,
              limit: 20
            })
            expect([needle, searched]).toEqual([needle, { total: ids.length, ids }])
          }
          sql.close()
        }
      ),
      { numRuns: cases(60) }
    )
    expect(found).toBeGreaterThan(10)
  })

  it("leaves a needle with U+0000, which ends each text in it, to the file [LIST-4]", () => {
    const search = "a\u0000a"
    const memory = new SearchMemory()
    memory.put({ id: 1, name: "xa", headline: "ay", flags: 0, score1: null, createdAt: 0, updatedAt: 0 })
    const { total } = memory.search({ filter: { search }, sort: sorts[0]!, offset: 0, limit: 1 })
    expect([SearchIndex.matchOf(1, search), isAnswerable({ search }) ? total : 0]).toEqual([null, 0])
  })

  it("removes a text of one repeated character among many such without moving their postings [PII-3]", () => {
    const memory = new SearchMemory({ partLeads: 64, joinedParts: 2, scannedLeads: 1 })
    const at = { headline: null, flags: 0, score1: null, createdAt: 0, updatedAt: 0 }
    const nameOf = (id: number) => `${"a".repeat(1990)}${id % 2 === 0 ? "b" : "c"}`
    for (let id = 1; id <= 256; id++) memory.put({ id, name: nameOf(id), ...at })
    memory.endLoading()
    const moved = vi.spyOn(Uint32Array.prototype, "copyWithin")
    for (let id = 1; id <= 256; id++) if (id % 4 < 2) memory.remove(id)
    expect(moved).not.toHaveBeenCalled()
    const search = (needle: string) =>
      memory.search({ filter: { search: needle }, sort: sorts[0]!, offset: 0, limit: 200 })
    const left = Array.from({ length: 256 }, (_, i) => i + 1).filter((id) => id % 4 >= 2)
    expect(search("aaaaaaa")).toEqual({ total: 128, ids: left })
    expect(search("aab").ids).toEqual(left.filter((id) => id % 2 === 0))
    expect(search("aaac").ids).toEqual(left.filter((id) => id % 2 === 1))
    for (const id of left) memory.remove(id)
    expect([search("aaa"), memory.size]).toEqual([{ total: 0, ids: [] }, 0])
  })
})

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
  const filename = join(folder, `memory-${++number}.sqlite`)
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
