/**
 * What Postgres does for each shape of a list over 20,000 leads, before it has statistics and after, for the parameters at hand and for
 * any: no table that grows is read from end to end, and what is read is bounded. And the same pages as a naive query has.
 */
import { type LeadFilter, LeadQueries, Observation, Observations } from "@lead-signals/domain"
import * as PostgresStore from "@lead-signals/store-postgres"
import {
  commitBatch,
  defaults,
  Erasure,
  readRenderedPage,
  TotalCache
} from "@lead-signals/store-postgres/internal"
import { Effect, Either, Schema } from "effect"
import fc from "fast-check"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { loadLeads } from "../bench/PostgresData.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { cases, isThorough } from "../harness/Thoroughness.ts"
import {
  connectionOver,
  explained,
  type ExplainedStatement,
  nodesOf,
  type PlanNode,
  rowsReadBy,
  setStatisticsOfFewRows
} from "./QueryPlans.ts"

const leads = 20_000
const maxBucketLeads = 256
const options = { ...defaults, maxBucketLeads, findingEffort: 200, maxComparedLeads: 500 }

type Shape = ReadonlyArray<readonly [name: string, value: string]>

/** Each with the rows that its statements may read, those of the first count of a search apart. */
const shapes: Readonly<Record<string, readonly [maxRows: number, ...Shape]>> = {
  "first page": [100],
  "first page with engagements": [1200, ["includeEngagements", "true"], ["includeEngagementDetail", "true"]],
  "createdAt:asc": [100, ["sort", "createdAt:asc"]],
  "updatedAt:desc": [400, ["sort", "updatedAt:desc"]],
  "updatedAt:asc": [100, ["sort", "updatedAt:asc"]],
  "name:asc": [100, ["sort", "name:asc"]],
  "name:desc": [400, ["sort", "name:desc"]],
  "score1:asc": [100, ["sort", "score1:asc"]],
  "score1:desc": [100, ["sort", "score1:desc"]],
  "a deep page": [1000, ["page", "400"]],
  "a deep page by updatedAt:asc": [1000, ["page", "300"], ["sort", "updatedAt:asc"]],
  "a deep page by updatedAt:desc": [1000, ["page", "300"], ["sort", "updatedAt:desc"]],
  "a deep page by name:asc": [1000, ["page", "500"], ["sort", "name:asc"]],
  "a deep page by name:desc": [1000, ["page", "500"], ["sort", "name:desc"]],
  "a deep page by score1:asc": [1000, ["page", "700"], ["sort", "score1:asc"]],
  "a deep page by score1:desc": [1000, ["page", "700"], ["sort", "score1:desc"]],
  qualified: [300, ["qualified", "true"]],
  "not exported": [300, ["exported", "false"]],
  "two flags": [300, ["qualified", "false"], ["isEmployee", "true"]],
  "a deep page of a flag": [1500, ["qualified", "true"], ["page", "100"]],
  "a flag by name": [1500, ["exported", "true"], ["sort", "name:asc"], ["page", "3"]],
  "a common signal": [200, ["signalId", "1"]],
  "a rare signal": [200, ["signalId", "20"], ["page", "2"]],
  "a signal and a flag": [400, ["signalId", "3"], ["qualified", "true"]],
  "a signal by updatedAt": [1500, ["signalId", "20"], ["sort", "updatedAt:desc"]],
  "no such signal": [50, ["signalId", "77"]],
  "a created window": [1000, ["createdAfter", "2024-06-01"], ["createdBefore", "2025-04-01"]],
  "a deep page of a created window": [
    2500,
    ["createdAfter", "2024-06-01"],
    ["createdBefore", "2025-04-01"],
    ["page", "200"]
  ],
  "a window of an hour": [
    1000,
    ["updatedAfter", "2025-06-01T10:00:00Z"],
    ["updatedBefore", "2025-06-01T11:00:00Z"]
  ],
  "an updated window, updatedAt:asc": [1000, ["updatedAfter", "2025-12-20"], ["sort", "updatedAt:asc"]],
  "a narrow window by name": [1500, ["createdAfter", "2025-12-25"], ["sort", "name:asc"]],
  "a window and a flag": [2000, ["createdAfter", "2025-06-01"], ["qualified", "true"]],
  "both windows": [4000, ["createdAfter", "2024-06-01"], ["updatedBefore", "2024-07-01"]],
  "before an instant, newest first": [1500, ["updatedBefore", "2024-02-01"]],
  "a window and a signal": [4000, ["updatedAfter", "2025-12-01"], ["signalId", "2"]],
  "a rare search": [100, ["search", "zyxomma"]],
  "a search of nothing that is there": [50, ["search", "zzzzqq"]],
  "a common search": [500, ["search", "engineer"]],
  "a common search by name": [1000, ["search", "engineer"], ["sort", "name:asc"]],
  "a search of one character": [1000, ["search", "q"]],
  "a search of two characters": [500, ["search", "ma"]],
  "a common search and a rare signal": [2500, ["search", "engineer"], ["signalId", "20"]],
  "a common search and a window": [2500, ["search", "engineer"], ["createdAfter", "2025-12-25"]]
}

const queryOf = (shape: Shape) => Either.getOrThrow(LeadQueries.readList(shape))

/** Tables whose size does not follow from how much is recorded. */
const small = new Set(["signal", "webhook", "brand", "brand_version", "lead_count", "encryption"])

const scans = (plan: PlanNode): ReadonlyArray<string> =>
  nodesOf(plan).flatMap((node) =>
    node["Node Type"].includes("Seq Scan") && !small.has(node["Relation Name"]!)
      ? [node["Relation Name"]!]
      : []
  )

/** Tables with so many rows that the planner has a choice. */
const filled = new Set(["lead", "lead_text", "lead_signal", "engagement", "attempt"])

/** Tables of which the plan reads all rows of a brand. */
const brandScans = (plan: PlanNode): ReadonlyArray<string> =>
  nodesOf(plan).flatMap((node) => {
    const table = node["Relation Name"] ?? ""
    const isOfBrand = /^\(*brand_id = [^ ]+\)$/.test(node["Index Cond"] ?? "(brand_id = any)")
    return isOfBrand &&
      node["Node Type"].includes("Scan") &&
      node["Node Type"] !== "Bitmap Heap Scan" &&
      filled.has(table)
      ? [`all of the brand's ${table}`]
      : []
  })

/** Rows that the statement looked at in the tables of leads and in their indexes. */
const rowsRead = ({ plan }: ExplainedStatement): number =>
  nodesOf(plan).reduce((sum, node) => {
    const table = node["Relation Name"]
    const isCounted = table !== undefined && table !== "lead_bucket" && !small.has(table)
    return isCounted ? sum + rowsReadBy(node) : sum
  }, 0)

describe.skipIf(isWithoutPostgres || !isThorough)("plans over 20,000 leads in Postgres", () => {
  let client: pg.Client
  beforeAll(async () => {
    const url = await newDatabase()
    await Effect.runPromise(
      Effect.void.pipe(Effect.provide(PostgresStore.layer({ url, notifications: false })))
    )
    client = new pg.Client({ connectionString: url })
    await client.connect()
    for (const table of ["lead", "lead_text", "lead_signal", "engagement", "lead_bucket"]) {
      await client.query(`ALTER TABLE lead_signals.${table} SET (autovacuum_enabled = false)`)
    }
    await loadLeads(url, { leads, persons: 400, maxBucketLeads, analyzes: false })
  })
  afterAll(() => client.end())

  const read = (shape: Shape, brand: string, totals: TotalCache, isRun: boolean) =>
    explained(client, (db) => readRenderedPage(db, brand, queryOf(shape), options, totals), isRun)

  const checkAll = async (): Promise<void> => {
    const misread: Array<string> = []
    for (const [name, [maxRows, ...shape]] of Object.entries(shapes)) {
      for (const brand of ["1", "2"]) {
        const totals = new TotalCache(10)
        const first = await read(shape, brand, totals, false)
        const again = await read(shape, brand, totals, true)
        for (const { generic, plan, text } of [...first.statements, ...again.statements]) {
          for (const scan of [...scans(plan), ...scans(generic)])
            misread.push(`${name} scans ${scan}: ${text}`)
        }
        const rows = again.statements.reduce((sum, statement) => sum + rowsRead(statement), 0)
        if (rows > maxRows) misread.push(`${name} of brand ${brand} reads ${rows} rows`)
      }
    }
    expect(misread).toEqual([])
  }

  it(
    "read no table from end to end and no more than they need, without statistics [PAGE-1, LIST-5]",
    checkAll
  )

  it("read no table from end to end and no more than they need, with statistics [PAGE-1, LIST-5]", async () => {
    await client.query("ANALYZE")
    await checkAll()
  })

  it("read a bounded number of rows when the statistics are of another time [PAGE-1, LIST-5]", async () => {
    // As of a table with few brands of few leads.
    await setStatisticsOfFewRows(client)
    await checkAll()
  })

  it("join what a search and another filter find, and look nothing up [LIST-5]", async () => {
    for (const filter of [
      ["qualified", "true"],
      ["signalId", "1"],
      ["createdAfter", "2024-06-01"],
      ["updatedBefore", "2025-06-01"]
    ] as const) {
      const { statements } = await read([["search", "engineer"], filter], "1", new TotalCache(10), true)
      const count = statements.find(({ text }) => text.includes("AS searched"))!
      const run = nodesOf(count.plan).filter((node) => node["Actual Loops"]! > 0)
      expect([filter, run.some((node) => node["Node Type"] === "Hash Join")]).toEqual([filter, true])
      expect([filter, Math.max(...run.map((node) => node["Actual Loops"]!))]).toEqual([filter, 1])
    }
  })

  it("compare the leads that the index finds and no others on their pages, in a session of little memory [LIST-5]", async () => {
    await client.query("SET work_mem = '64kB'")
    const { result, statements } = await read([["search", "ma"]], "1", new TotalCache(10), true)
    await client.query("RESET work_mem")
    expect(result.total).toBeGreaterThan(5000)
    const pages = statements.flatMap(({ plan }) =>
      nodesOf(plan).flatMap((node) => node["Lossy Heap Blocks"] ?? [])
    )
    expect(pages.length).toBeGreaterThan(0)
    expect(Math.max(...pages)).toBe(0)
  })

  const observationOf = (person: string, id: string): Observation =>
    Schema.decodeUnknownSync(Observation)({
      signalId: "1",
      person: { extId: person, name: `Name of ${person}` },
      engagement: { id }
    })

  it("read no table from end to end to write [STORE-1, PII-3]", async () => {
    await client.query("ANALYZE")
    const proposals = Array.from({ length: 40 }, (_, i) => {
      // Engagements of 39 leads that are there and of 41 new ones, which a webhook hears of.
      const observation = observationOf(`person-${String(i * 100 + 1).padStart(9, "0")}`, `new ${i}`)
      const other = observationOf(`new ${i}`, `other ${i}`)
      return [observation, other].map((each) => ({
        personExtId: each.person.extId,
        personHash: () => each.person.extId,
        authorHash: () => "author",
        engagementId: each.engagement.id,
        signalId: each.signalId,
        decide: (known: Observations.CurrentState, now: number) => Observations.observe("1", each, known, now)
      }))
    }).flat()
    await client.query(
      `INSERT INTO lead_signals.webhook (brand_id, url, events, enabled, secrets, created_at)
         VALUES (1, 'u', '["lead2.created","activity.detected"]', true, '{}', 0)`
    )
    let drawn = 0
    const nextId = () => `wh_${++drawn}`
    const now = Date.UTC(2027, 0, 1)
    const call = { brandId: "1", proposals, ids: nextId }
    const committed = await explained(client, (db) => commitBatch(db, now, [call], maxBucketLeads))
    const [result] = committed.result
    expect("queued" in result! && result.queued).toBe(121)
    // Answers to 200 batches, of deliveries that nobody looks for.
    await client.query(
      `INSERT INTO lead_signals.attempt (brand_id, delivery_seq, number, at, duration_millis, status, response, batch_id)
         SELECT 1, 1000000 + i, 1, 0, 1, 200, 'r', 'wb_' || i / 100 FROM generate_series(0, 19999) i`
    )
    // A lead whose posts others engaged with.
    await client.query(
      "UPDATE lead_signals.engagement SET author_ext_id = 'person-000000007' WHERE author_ext_id = 'author-7'"
    )
    const lead = { brandId: "1", id: 7 }
    const erased = await explained(client, (db) =>
      Erasure.erase(db, lead, { personHash: "x", nextId, now, maxBucketLeads })
    )
    expect(erased.result).toBe(true)
    const removed = await explained(client, (db) => Erasure.removeSome(db, "1", maxBucketLeads))
    const statements = [...committed.statements, ...erased.statements, ...removed.statements]
    expect(committed.statements.length).toBeLessThan(12)
    const misread = statements.flatMap(({ generic, plan, text }) =>
      [plan, generic]
        .flatMap((each) => [...scans(each), ...(text.includes("LIMIT") ? [] : brandScans(each))])
        .map((scan) => `${scan}: ${text}`)
    )
    expect(misread).toEqual([])
  })

  const orders: Readonly<Record<string, string>> = {
    "createdAt:asc": "created_at",
    "createdAt:desc": "created_at DESC",
    "updatedAt:asc": "updated_at",
    "updatedAt:desc": "updated_at DESC",
    "name:asc": "name_key",
    "name:desc": "name_key DESC",
    "score1:asc": "score1 NULLS LAST",
    "score1:desc": "score1 DESC NULLS LAST"
  }

  const naively = async (filter: LeadFilter, sort: string, limit: number, offset: number) => {
    const conditions = ["brand_id = 1"]
    const flag = (bit: number, wanted: boolean | undefined): void => {
      if (wanted !== undefined) conditions.push(`(flags & ${bit} <> 0) = ${wanted}`)
    }
    flag(1, filter.qualified)
    flag(2, filter.exported)
    if (filter.createdAfter !== undefined) conditions.push(`created_at >= ${filter.createdAfter}`)
    if (filter.createdBefore !== undefined) conditions.push(`created_at <= ${filter.createdBefore}`)
    if (filter.updatedAfter !== undefined) conditions.push(`updated_at >= ${filter.updatedAfter}`)
    if (filter.updatedBefore !== undefined) conditions.push(`updated_at <= ${filter.updatedBefore}`)
    if (filter.signalId !== undefined)
      conditions.push(
        `id IN (SELECT lead_id FROM lead_signals.lead_signal WHERE signal_id = ${filter.signalId})`
      )
    if (filter.search !== undefined)
      conditions.push(`(lower(name) LIKE '%${filter.search}%' OR lower(headline) LIKE '%${filter.search}%')`)
    const where = conditions.join(" AND ")
    const { rows } = await client.query<{ ids: Array<number> | null; total: number }>(
      `SELECT (SELECT count(*)::integer FROM lead_signals.lead WHERE ${where}) AS total,
         (SELECT array_agg(id::integer) FROM (SELECT id FROM lead_signals.lead WHERE ${where}
           ORDER BY ${orders[sort]!}, id LIMIT ${limit} OFFSET ${offset}) p) AS ids`
    )
    return { total: rows[0]!.total, ids: rows[0]!.ids ?? [] }
  }

  const instants = fc.integer({ min: 0, max: 730 }).map((day) => Date.UTC(2024, 0, 1) + day * 86_400_000)

  it("find what a naive query finds, on every page of every order [SORT-5, SORT-6, PAGE-1, PAGE-3, LIST-5]", async () => {
    await client.query("ANALYZE")
    const totals = new TotalCache(1000)
    await fc.assert(
      fc.asyncProperty(
        fc
          .record(
            {
              qualified: fc.boolean(),
              exported: fc.boolean(),
              createdAfter: instants,
              createdBefore: instants,
              updatedAfter: instants,
              updatedBefore: instants,
              signalId: fc.constantFrom("1", "3", "20"),
              search: fc.constantFrom("engineer", "ma", "q", "zyxomma")
            },
            { requiredKeys: [] }
          )
          .chain((filter) => {
            const keys = Object.keys(filter) as Array<keyof typeof filter>
            return fc
              .subarray(keys, { maxLength: 2 })
              .map((kept) => Object.fromEntries(kept.map((key) => [key, filter[key]])))
          }),
        fc.constantFrom(...Object.keys(orders)),
        fc.nat(9999),
        fc.integer({ min: 1, max: 100 }),
        async (filter: LeadFilter, sort, share, pageSize) => {
          const { total } = await naively(filter, sort, 0, 0)
          const page = 1 + Math.floor((share * Math.ceil(total / pageSize)) / 10_000)
          const expected = await naively(filter, sort, pageSize, (page - 1) * pageSize)
          const query = { ...queryOf([["sort", sort]]), filter, page: { page, pageSize } }
          await client.query("BEGIN")
          const found = await readRenderedPage(connectionOver(client), "1", query, options, totals)
          await client.query("ROLLBACK")
          expect({ total: found.total, ids: found.leads.map((lead) => JSON.parse(lead).id) }).toEqual(
            expected
          )
        }
      ),
      { numRuns: cases(600) }
    )
  })
})
