/** What SQLite does for each shape of a list, at 100,000 leads: no shape scans a table, totals do not walk the leads. */
import { type LeadFilter, SortOrder } from "@lead-signals/domain"
import {
  FilterCounts,
  LeadListing,
  Ordering,
  RankIndex,
  Selection
} from "@lead-signals/store-sqlite/internal"
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases, isThorough } from "../harness/Thoroughness.ts"
import { day, naiveOrders, openLargeFile, queryOf, shapes, start } from "./LargeFile.ts"
import { planOf, type Query, recorded, scans } from "./QueryPlans.ts"

const { db, naively, naivePage } = await openLargeFile()

const all = (sql: Query): Array<any> => db.prepare(sql.text).all(...sql.params)

/** The page as it is planned. */
const pageOf = (...[selection, query, counts, total]: Parameters<typeof LeadListing.planPage>) =>
  recorded(db, (sql) =>
    LeadListing.readPage(sql, selection, query, LeadListing.planPage(selection, query, counts, total))
  )

const askQuery = (query: ReturnType<typeof queryOf>) => {
  const selection = Selection.select(1, query.filter)
  const counting = FilterCounts.countsSql(selection)
  const columns = all(counting.sql)[0]
  const counted = counting.drivers.map((driver, i) => [driver, columns[`c${i}`] as number] as const)
  const { match } = selection
  const searchedSql = match === null ? null : FilterCounts.searchedSql(match, Infinity)
  const searched =
    searchedSql === null
      ? []
      : db
          .prepare(searchedSql.text)
          .pluck()
          .all(...searchedSql.params)
  const drivers = [...counted, ...searched.map((n) => ["search", n as number] as const)]
  const counts = { all: counted[0]![1], drivers, searchEffort: 0 }
  const totalSql = FilterCounts.totalSql(selection, counts)
  const total = all(totalSql)[0].n as number
  return {
    query,
    selection,
    counts,
    countsSqls: searchedSql === null ? [counting.sql] : [counting.sql, searchedSql],
    totalSql,
    total,
    pageSqls: pageOf(selection, query, counts, total).queries
  }
}

const requested = new Map<string, ReturnType<typeof askQuery>>()

/** Counts each shape once: no test leaves the file changed. */
const ask = (shape: string) => {
  const known = requested.get(shape) ?? askQuery(queryOf(shape))
  requested.set(shape, known)
  return known
}

describe("the plans at 100,000 leads", () => {
  it.each(Object.keys(shapes))("scan nothing and count right: %s [PAGE-1, LIST-5]", (shape) => {
    const { countsSqls, pageSqls, query, total, totalSql } = ask(shape)
    for (const sql of [...countsSqls, totalSql, ...pageSqls]) expect(scans(planOf(db, sql))).toEqual([])
    expect(total).toBe(naively(query.filter))
  })

  it("walk the order and look at texts without scanning: a common search [LIST-5]", () => {
    const { counts, query, selection, total } = ask("a common search")
    expect(LeadListing.planPage(selection, query, counts, total).looksAtTexts).toBe(true)
    const part = { from: 0, length: 100 }
    for (const sort of ["createdAt:desc", "updatedAt:asc", "name:asc", "score1:desc"]) {
      const ordered = { ...query, sort: Either.getOrThrow(SortOrder.parse(sort)) }
      expect(
        scans(
          planOf(
            db,
            LeadListing.textsSql(
              selection,
              ordered.sort,
              LeadListing.planPage(selection, ordered, counts, total),
              part
            )
          )
        )
      ).toEqual([])
    }
  })

  it("look at the texts of what another filter lets through without scanning, where the index finds a part [LIST-5]", () => {
    const { counts, selection } = ask("a search of a repeated part and a rare signal")
    for (const sort of ["createdAt:desc", "updatedAt:asc", "name:asc", "score1:desc"]) {
      const scan = LeadListing.planFilteredScan(selection, counts)!
      const order = Either.getOrThrow(SortOrder.parse(sort))
      const part = { from: 0, length: 100 }
      expect(scans(planOf(db, LeadListing.filteredScanSql(selection, order, scan, part)))).toEqual([])
    }
  })

  it("estimate a search by the texts that FTS5 reads, and look up no more than is affordable for that [LIST-5]", () => {
    const effortOf = (shape: string, maxEffort: number) => {
      const { counts, selection } = ask(shape)
      const { queries, result } = recorded(db, (sql) =>
        FilterCounts.searchEffort(sql, selection.match!, counts.all, maxEffort)
      )
      for (const query of queries) {
        expect(scans(planOf(db, query))).toEqual([])
        expect(query.params.at(-1)).toBeLessThanOrEqual(maxEffort + 1)
      }
      return { effort: result, queries: queries.length }
    }
    const { all } = ask("a common search").counts
    // All texts that have "com", "omm" and so on count, however few have all of them next to each other.
    expect(effortOf("a common search", 10_000).effort).toBeGreaterThan(all)
    expect(effortOf("a rare search", 10_000).effort).toBeLessThan(1000)
    expect(effortOf("a search of nothing that is there", 10_000)).toEqual({ effort: 0, queries: 1 })
    // A single token has no entries but those that are found.
    expect(effortOf("a search of two characters", 10_000)).toEqual({ effort: 0, queries: 0 })
    expect(effortOf("a common search", Infinity).queries).toBe(0)
    expect(effortOf("a long search", 10_000).queries).toBeLessThanOrEqual(16)
  })

  it("take totals of flags and signals from the counters alone [PAGE-1]", () => {
    for (const shape of ["first page", "qualified", "two flags", "a common signal", "a rare signal"]) {
      expect(planOf(db, ask(shape).totalSql).join("; ")).toMatch(
        /^SEARCH lead_count USING PRIMARY KEY \(brand_id=\? AND signal_id=\?.*\)$/
      )
    }
  })

  it("take totals of a window from the day counters, and walk at most its first and last day [PAGE-1, TIME-5]", () => {
    const plan = planOf(db, ask("a created window").totalSql)
    expect(plan.filter((line) => line.includes("lead_day_count"))).toHaveLength(1)
    const ends = plan.filter((line) => line.includes("lead_by_created"))
    expect(ends).toHaveLength(2)
    for (const line of ends)
      expect(line).toContain("COVERING INDEX lead_by_created (brand_id=? AND created_at>? AND created_at<?)")
  })

  it("walk the index of the order for page 1, without sorting all [SORT-5]", () => {
    for (const [shape, index] of [
      ["first page", "lead_by_created"],
      ["name:asc", "lead_by_name"],
      ["name:desc", "lead_by_name"],
      ["score1:asc", "lead_by_score"],
      ["score1:desc", "lead_by_score_desc"],
      ["updatedAt:asc", "lead_by_updated"],
      ["not exported", "lead_by_created"]
    ] as const) {
      const plan = planOf(db, ask(shape).pageSqls[0]!).join("; ")
      expect(plan).toContain(`USING COVERING INDEX ${index} (`)
      expect(plan).not.toContain("USE TEMP B-TREE")
    }
  })

  it("walk a signal's own leads, in the order of their creation and without looking at others [LIST-5, SORT-5]", () => {
    const filters: ReadonlyArray<LeadFilter> = [{}, { exported: true }, { createdAfter: start + 20 * day }]
    for (const filter of filters) {
      for (const signalId of ["1", "2"]) {
        for (const sort of ["createdAt:asc", "createdAt:desc"]) {
          const { pageSqls, total } = askQuery({
            ...queryOf("first page"),
            filter: { ...filter, signalId },
            sort: Either.getOrThrow(SortOrder.parse(sort)),
            page: { page: 2, pageSize: 5 }
          })
          expect(total).toBeGreaterThan(10)
          const [walk, ...others] = planOf(db, pageSqls[0]!)
          expect(walk).toMatch(/^SEARCH g USING PRIMARY KEY \(signal_id=\?/)
          // Nothing else but whose the signal is.
          expect(others).toEqual([
            expect.stringContaining("SCALAR SUBQUERY"),
            expect.stringMatching(/^SEARCH signal USING INTEGER PRIMARY KEY/)
          ])
        }
      }
    }
  })

  it("show no brand the leads of another's signal [AUTH-3]", () => {
    db.exec("INSERT INTO lead_signal SELECT 3, created_at, id, flags FROM lead WHERE brand_id = 2")
    try {
      for (const filter of [{}, { exported: true }, { createdAfter: start + 20 * day }]) {
        const { total, pageSqls } = askQuery({
          ...queryOf("first page"),
          filter: { ...filter, signalId: "3" }
        })
        expect(total).toBe(0)
        expect(pageSqls.length).toBeGreaterThan(0)
        expect(pageSqls.flatMap(all)).toEqual([])
      }
    } finally {
      db.exec("DELETE FROM lead_signal WHERE signal_id = 3")
    }
  })

  it("gather what a selective filter lets through, instead of walking [LIST-5]", () => {
    expect(planOf(db, ask("a window and a signal").pageSqls[0]!).join("; ")).toContain(
      "SEARCH g USING PRIMARY KEY (signal_id=?)"
    )
    expect(planOf(db, ask("a rare search").pageSqls[0]!).join("; ")).toContain(
      "lead_text VIRTUAL TABLE INDEX"
    )
    expect(planOf(db, ask("a narrow created window").pageSqls[0]!).join("; ")).toContain("lead_by_created")
  })

  /** Each shape under two of the orders, which take turns; under all of them in thorough runs. */
  const shapesAndOrders = Object.keys(shapes).map((shape, i) => {
    const orders = ["createdAt:desc", "updatedAt:asc", "name:desc", "score1:asc", "score1:desc"]
    return [shape, isThorough ? orders : [orders[i % 5]!, orders[(i + 2) % 5]!]] as const
  })

  it.each(shapesAndOrders)("find the same page walking and gathering: %s [SORT-5]", (shape, orders) => {
    for (const sort of orders) {
      const { counts, selection, total } = ask(shape)
      const page = { page: 2, pageSize: 10 }
      const query = { page, sort: Either.getOrThrow(SortOrder.parse(sort)) }
      const drivers = (n: number) =>
        counts.drivers.map(([driver, count]) => [driver, driver === "order" ? count : n] as const)
      const found = (n: number) => pageOf(selection, query, { ...counts, drivers: drivers(n) }, total).result
      expect(found(0)).toEqual(found(counts.all * 2))
    }
  })

  it("merge the beginnings of each combination of flags, as deep as that is cheaper [SORT-5, PAGE-3]", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("createdAt:desc", "createdAt:asc"),
        fc.constantFrom<LeadFilter>(
          { qualified: true },
          { exported: true },
          { qualified: false, exported: true },
          { isEmployee: true }
        ),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 60 }),
        (sort, filter, page, pageSize) => {
          const selection = Selection.select(1, filter)
          const total = naively(filter)
          const query = { sort: Either.getOrThrow(SortOrder.parse(sort)), page: { page, pageSize } }
          // As if others were so many that a walk would take too long.
          const drivers = [["order", 1e9] as const, ["flags", 1e6] as const]
          const counts = { all: 1e9, drivers, searchEffort: 0 }
          expect(LeadListing.planPage(selection, query, counts, total).way).toBe("merge")
          const { queries, result } = pageOf(selection, query, counts, total)
          expect(queries).toHaveLength(1)
          const plan = planOf(db, queries[0]!)
          expect(scans(plan)).toEqual([])
          expect(plan.join("; ")).toContain("COVERING INDEX lead_by_flags (brand_id=? AND flags=?)")
          expect(result).toEqual(naivePage(filter, sort, pageSize, (page - 1) * pageSize))
        }
      ),
      { numRuns: cases(60) }
    )
  })

  it("merge leads of one time by their ids, whatever their flags [SORT-5, PAGE-3]", () => {
    const filter = { isEmployee: false }
    const selection = Selection.select(1, filter)
    const drivers = [["order", 1e9] as const, ["flags", 1e6] as const]
    for (const [sort, at] of [
      ["createdAt:asc", start - day],
      ["createdAt:desc", start + 1000 * day]
    ] as const) {
      db.exec("BEGIN")
      try {
        db.prepare(
          "UPDATE lead SET created_at = ?, updated_at = max(updated_at, ?) WHERE brand_id = 1 AND id <= 100"
        ).run(at, at)
        const query = { sort: Either.getOrThrow(SortOrder.parse(sort)), page: { page: 2, pageSize: 10 } }
        const counts = { all: 1e9, drivers, searchEffort: 0 }
        expect(LeadListing.planPage(selection, query, counts, naively(filter)).way).toBe("merge")
        const { result } = pageOf(selection, query, counts, naively(filter))
        expect(result).toEqual(naivePage(filter, sort, 10, 10))
        expect(result).toEqual([...result].sort((a, b) => a - b))
      } finally {
        db.exec("ROLLBACK")
      }
    }
  })

  it("find a deep page by counting, where walking finds it [SORT-5, PAGE-3]", () => {
    const texts = new Set<string>()
    let longest = 0
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(naiveOrders)),
        fc.constantFrom<LeadFilter>(
          {},
          { qualified: true },
          { exported: false },
          { qualified: false, exported: true }
        ),
        fc.nat(9999),
        (sort, filter, share) => {
          const selection = Selection.select(1, filter)
          const total = naively(filter)
          const offset = Math.floor((share * total) / 10_000)
          const ordering = Ordering.orderingOf(Either.getOrThrow(SortOrder.parse(sort)))
          const page = recorded(db, (sql) =>
            RankIndex.readPage(sql, selection, ordering, { limit: 10, offset, total }, null)
          )
          for (const { text } of page.queries) texts.add(text)
          // After the buckets, where that of the page begins, and the leads of its first key before it.
          longest = Math.max(longest, page.queries[3]!.params.at(-1) as number)
          expect(page.result).toEqual(naivePage(filter, sort, 10, offset))
        }
      ),
      { numRuns: Math.max(14, cases(80)) }
    )
    expect(longest).toBeLessThan(2 * RankIndex.defaults.maxBucketLeads)
    // Leads without a score are more than are walked past; those of one name are few.
    expect([...texts].map((text) => text.includes("UNION ALL"))).toEqual(
      expect.arrayContaining([true, false])
    )
    for (const text of texts) {
      const count = text.split("?").length - 1
      const plan = planOf(db, { text, params: Array.from({ length: count }, () => 0) })
      expect(scans(plan)).toEqual([])
    }
  })

  it("find the buckets to be split without looking at the others [PAGE-3]", () => {
    const text = RankIndex.longBucketsSql(RankIndex.defaults.maxBucketLeads)
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as Array<{ detail: string }>
    expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining("lead_stretch_long")])
  })

  it("keep a window's days apart from the next [TIME-5]", () => {
    for (const [after, before] of [
      [start, start + day],
      [start + 1, start + day - 1],
      [start + day - 1, start + day],
      [start + 5, start + 5],
      [start + 3 * day, start + 9 * day - 1]
    ] as const) {
      const filter = { createdAfter: after, createdBefore: before }
      const selection = Selection.select(1, filter)
      const total = all(FilterCounts.totalSql(selection, { all: 0, drivers: [], searchEffort: 0 }))[0].n
      expect(total).toBe(naively(filter))
    }
  })
})
