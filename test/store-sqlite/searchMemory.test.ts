/** Searches in memory: what they find, and that they answer for the state of the file whatever changes it. */
import { Folding, type LeadFilter, SortOrder } from "@lead-signals/domain"
import { matchesFilter } from "@lead-signals/domain/pure"
import {
  DriverConnection,
  isAnswerable,
  type SearchableLead,
  SearchIndex,
  SearchMemory
} from "@lead-signals/store-sqlite/internal"
import { Either } from "effect"
import fc from "fast-check"
import { afterEach, describe, expect, it, vi } from "vitest"
import { cases, isThorough } from "../harness/Thoroughness.ts"

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

/** What changes of a lead with and without its texts. */
const changing = {
  id: fc.integer({ min: 1, max: 40 }),
  flags: fc.integer({ min: 0, max: 7 }),
  score1: fc.option(fc.constantFrom(0, 1.5, 99)),
  createdAt: fc.integer({ min: 0, max: 5 }),
  updatedAt: fc.integer({ min: 5, max: 9 }),
  signalIds: fc.uniqueArray(fc.constantFrom("1", "2", "11"), { minLength: 1 })
}

const lead = fc.record({
  ...changing,
  // Some have equal names, or names that differ late.
  name: fc
    .tuple(fc.constantFrom("", "aab", "aaaaaaa"), fc.oneof(fc.constant("a"), text(4)))
    .map((parts) => parts.join("")),
  headline: fc.option(text(14))
})

const has = (bits: number, flag: number): boolean => (bits & flag) !== 0

const instant = (min: number, max: number) => fc.integer({ min, max })

/** Mostly none or one: more let nothing through. */
const filterOf: fc.Arbitrary<LeadFilter> = fc.oneof(
  fc.constant({}),
  fc.record({ qualified: fc.boolean() }),
  fc.record({ signalId: fc.constantFrom("1", "2", "11", "3") }),
  fc.record({ signalId: fc.constantFrom("1", "2"), isEmployee: fc.boolean(), updatedAfter: instant(5, 9) }),
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
        fc.array(lead, { maxLength: 60, size: "max" }),
        fc.array(fc.oneof(lead, fc.record(changing), fc.integer({ min: 1, max: 40 })), {
          maxLength: 30,
          size: "max"
        }),
        fc.array(
          fc.tuple(
            fc.oneof(text(5), fc.constantFrom("aab", "aaa", null)),
            filterOf,
            fc.constantFrom(...sorts),
            fc.nat(6),
            fc.nat(6)
          ),
          { minLength: 20, maxLength: 40 }
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
            if (typeof change === "number") {
              memory.remove(change)
              there.delete(change)
            } else if ("name" in change) put(change)
            else {
              const before = there.get(change.id)
              if (before !== undefined) put({ ...before, ...change })
            }
          }
          for (const [needle, flags, sort, offset, limit] of searches) {
            const filter = needle === null ? flags : { ...flags, search: Folding.fold(needle) }
            const expected = [...there.values()]
              .filter((each) =>
                matchesFilter(
                  filter,
                  {
                    ...each,
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
            const at = { flags: 0, score1: null, createdAt: 0, updatedAt: 0, signalIds: [] }
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
    const at = { flags: 0, score1: null, createdAt: 0, updatedAt: 0, signalIds: [] }
    memory.put({ id: 1, name: "xa", headline: "ay", ...at })
    const { total } = memory.search({ filter: { search }, sort: sorts[0]!, offset: 0, limit: 1 })
    expect([SearchIndex.matchOf(1, search), isAnswerable({ search }) ? total : 0]).toEqual([null, 0])
  })

  it("removes a text of one repeated character among many such without moving their postings [PII-3]", () => {
    const memory = new SearchMemory({ partLeads: 64, joinedParts: 2, scannedLeads: 1 })
    const at = { headline: null, flags: 0, score1: null, createdAt: 0, updatedAt: 0, signalIds: [] }
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
    // As in the reference, every text contains the empty one.
    expect(search("")).toEqual({ total: 128, ids: left })
    expect(search("aab").ids).toEqual(left.filter((id) => id % 2 === 0))
    expect(search("aaac").ids).toEqual(left.filter((id) => id % 2 === 1))
    for (const id of left) memory.remove(id)
    expect([search("aaa"), memory.size]).toEqual([{ total: 0, ids: [] }, 0])
  })

  it("finds long needles in texts that repeat a few characters, and none that differs in one [LIST-4]", () => {
    const motif = fc.string({ unit: fc.constantFrom("a", "a", "b", "é"), minLength: 1, maxLength: 3 })
    const run = fc.tuple(motif, fc.integer({ min: 1, max: 60 })).map(([each, times]) => each.repeat(times))
    const text = fc.array(run, { minLength: 1, maxLength: 3 }).map((runs) => runs.join(""))
    const at = { flags: 0, score1: null, createdAt: 0, updatedAt: 0, signalIds: [] }
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.boolean()), { minLength: 1, maxLength: 10 }),
        (people, drawn) => {
          const memory = new SearchMemory({ partLeads: 4, joinedParts: 2, scannedLeads: 1 })
          for (const [i, [name, headline]] of people.entries())
            memory.put({ id: i + 1, name, headline, ...at })
          memory.endLoading()
          for (const [which, start, length, isChanged] of drawn) {
            const [from] = people[which % people.length]!
            const begin = start % from.length
            const part = from.slice(begin, begin + 1 + (length % 200)).split("")
            if (isChanged) part[length % part.length] = "b"
            const search = part.join("")
            const expected = people.flatMap((texts, i) =>
              texts.some((each) => each.includes(search)) ? [i + 1] : []
            )
            const { ids, total } = memory.search({
              filter: { search },
              sort: sorts[0]!,
              offset: 0,
              limit: 10
            })
            expect([search, total, ids]).toEqual([search, expected.length, expected])
          }
        }
      ),
      { numRuns: cases(100) }
    )
  })

  it("goes along the postings of texts of one repeated character without going back [LIST-4]", () => {
    const leads = isThorough ? 1024 : 256
    const memory = new SearchMemory({ partLeads: 64, joinedParts: 2, scannedLeads: 1 })
    const at = { headline: null, flags: 0, score1: null, createdAt: 0, updatedAt: 0, signalIds: [] }
    for (let id = 1; id <= leads; id++) memory.put({ id, name: `${"a".repeat(1990)}${id}`, ...at })
    memory.endLoading()
    // A few million steps. To go along the postings again from each place would be two hundred thousand million.
    const search = "a".repeat(100)
    expect(memory.search({ filter: { search }, sort: sorts[0]!, offset: 0, limit: 1 }).total).toBe(leads)
  }, 30_000)
})
