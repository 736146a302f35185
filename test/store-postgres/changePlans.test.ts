/**
 * What Postgres does to read a page of the feed of changes beside many leads with two events each: nothing is read from end to end, and
 * what is read is bounded, whatever the statistics say.
 */
import { Brands, type ChangePosition } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { changesAfter } from "@lead-signals/store-postgres/internal"
import { Effect, Layer } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { migratedDatabase } from "../harness/MadeSchema.ts"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { explained, nodesOf, setStatisticsOfFewRows } from "./QueryPlans.ts"

const leads = isThorough ? 100_000 : 20_000
const limit = 100

/** Tables of few rows, whatever is recorded: a sequence has one. */
const small = new Set<string | undefined>(["brand", "event_position_seq"])

describe.skipIf(isWithoutPostgres)(`a page of changes of ${leads.toLocaleString("en-US")} leads`, () => {
  let client: pg.Client
  beforeAll(async () => {
    const url = await migratedDatabase()
    const store = Layer.merge(PostgresStore.layer({ url, notifications: false }), webCrypto)
    await Effect.runPromise(
      Effect.all([Brands.create("A"), Brands.create("B")]).pipe(Effect.provide(store), Effect.orDie)
    )
    client = new pg.Client({ connectionString: url })
    await client.connect()
    // Without statistics, until a test gathers them.
    for (const table of ["lead", "event", "changed_lead"])
      await client.query(`ALTER TABLE lead_signals.${table} SET (autovacuum_enabled = false)`)
    await client.query(
      `INSERT INTO lead_signals.lead (brand_id, id, ext_id, name, name_key, profile_times, signal_id, signal_ids, flags, created_at, updated_at)
       SELECT 1 + (i % 100 = 0)::int, i, 'x' || i, 'N', 'n', '{}', 1, '["1"]', 0, i, i FROM generate_series(1, ${leads}) i`
    )
    // Each lead's newest event is as far from its first as there are leads.
    await client.query(
      `INSERT INTO lead_signals.event (brand_id, event, lead_id, engagement_id, is_first_activity, occurred_at)
       SELECT 1 + (i % 100 = 0)::int, 'activity.detected', i, 'e' || n || '-' || i, n = 1, i
       FROM generate_series(1, 2) n, generate_series(1, ${leads}) i ORDER BY n, i`
    )
    await client.query(
      `INSERT INTO lead_signals.changed_lead (brand_id, lead_id, position, removed_at)
       SELECT brand_id, id, nextval('lead_signals.event_position_seq'), NULL FROM lead_signals.lead WHERE id % 50 = 7 ORDER BY id`
    )
    await client.query(
      `INSERT INTO lead_signals.changed_lead (brand_id, lead_id, position, removed_at)
       SELECT 1, ${leads} + i, nextval('lead_signals.event_position_seq'), i FROM generate_series(1, 500) i`
    )
  })
  afterAll(() => client.end())

  const at = (position: number): ChangePosition => ({ epoch: "", position, since: 0 })
  const newest = 2 * leads + leads / 50 + 500

  /** Where a page begins, how many rows may be read for it, how many changes it has, and whether more follow. */
  const pages: ReadonlyArray<readonly [string, ChangePosition | null, number, number, boolean]> = [
    // None of 2,000 first events is its lead's newest: each takes a lookup.
    ["of the beginning", null, 6000, 0, true],
    ["among the newest events", at(leads + leads / 2), 3000, limit, true],
    ["of leads that an operator altered", at(2 * leads), 1000, limit, true],
    ["of removals", at(newest - 250), 500, limit, true],
    ["of the last changes", at(newest - 3), 50, 3, false],
    ["of nothing", at(newest), 10, 0, false]
  ]

  const check = async (): Promise<void> => {
    const misread: Array<string> = []
    for (const [name, after, maxRows, changes, hasMore] of pages) {
      const query = { limit, engagements: "none" } as const
      const { result, statements } = await explained(client, (db) => changesAfter(db, 1, after, query), true)
      expect([name, result.isExpired || [result.changes.length, result.hasMore]]).toEqual([
        name,
        [changes, hasMore]
      ])
      let rows = 0
      for (const { generic, plan, text } of statements) {
        for (const node of [...nodesOf(plan), ...nodesOf(generic)])
          if (/Seq Scan|Sort/.test(node["Node Type"]) && !small.has(node["Relation Name"]))
            misread.push(`${name}: ${node["Node Type"]} of ${node["Relation Name"]} in ${text}`)
        for (const node of nodesOf(plan)) {
          if (node["Relation Name"] === undefined) continue
          rows += (node["Actual Rows"]! + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]!
        }
      }
      if (rows > maxRows) misread.push(`${name} reads ${rows} rows`)
    }
    expect(misread).toEqual([])
  }

  it("reads by indexes alone what it needs, without statistics [CHG-1]", check)

  it("reads by indexes alone what it needs, with statistics, and with those of another time [CHG-1]", async () => {
    await client.query("ANALYZE")
    await check()
    await setStatisticsOfFewRows(client)
    await check()
  })
})
