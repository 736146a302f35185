/**
 * What Postgres does to find what is due, beside many leads, events and erasures that are old and stay: nothing is read from end to end,
 * and what a piece reads does not grow, whatever the statistics say.
 */
import { Brands, type PruneCursor, RetentionRounds, type RetentionKind } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { findDue } from "@lead-signals/store-postgres/internal"
import { Effect, Layer } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { migratedDatabase } from "../harness/MadeSchema.ts"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { connectionOver, explained, nodesOf, setStatisticsOfFewRows } from "./QueryPlans.ts"

/** So few that all indexes seem alike, and so many that a scan costs. */
const sizes = isThorough ? [5000, 100_000] : [5000]

/** Rows that a piece may read: those that it looks at, and what refers to each. */
const maxRows: Readonly<Record<string, number>> = {
  leads: 2100,
  events: 6100,
  suppressions: 2100,
  engagements: 5100,
  deliveries: 210,
  deadLetters: 210
}

describe.skipIf(isWithoutPostgres).each(sizes)(
  "a piece of pruning beside %i old leads that stay",
  (leads) => {
    const before = 10 * leads
    /** Every thousandth lead waits for nothing, as does the last one. */
    const quiet = leads / 1000
    let client: pg.Client
    let url: string
    beforeAll(async () => {
      url = await migratedDatabase()
      const store = Layer.merge(PostgresStore.layer({ url, notifications: false }), webCrypto)
      await Effect.runPromise(
        Effect.all([Brands.create("A"), Brands.create("B")]).pipe(Effect.provide(store), Effect.orDie)
      )
      client = new pg.Client({ connectionString: url })
      await client.connect()
      // Without statistics, until a test gathers them.
      for (const table of ["lead", "event", "engagement", "suppression", "delivery"])
        await client.query(`ALTER TABLE lead_signals.${table} SET (autovacuum_enabled = false)`)
      await client.query(
        `INSERT INTO lead_signals.lead (brand_id, id, ext_id, name, name_key, profile_times, signal_id, signal_ids, flags, created_at, updated_at)
       SELECT 1 + (i % 100 = 0)::int, i, 'x' || i, 'N', 'n', '{}', 1, '["1"]', 0, i / 3000, i / 3000 FROM generate_series(1, ${leads}) i`
      )
      await client.query(
        `INSERT INTO lead_signals.event (brand_id, event, lead_id, engagement_id, is_first_activity, occurred_at)
       SELECT 1 + (i % 100 = 0)::int, CASE WHEN n = 1 OR i % 1000 = 0 THEN 'lead2.created' ELSE 'activity.detected' END, i, 'e' || i, true, i
       FROM generate_series(1, 2) n, generate_series(1, ${leads}) i ORDER BY n, i`
      )
      await client.query(
        `INSERT INTO lead_signals.engagement (brand_id, id, lead_id, signal_id, tracked_at)
       SELECT 1 + (i % 100 = 0)::int, 'e' || i, i, 1, i FROM generate_series(1, ${leads}) i`
      )
      await client.query(
        `INSERT INTO lead_signals.webhook (brand_id, url, events, enabled, secrets, created_at) VALUES (1, 'https://r.example/', '[]', true, '[]', 0)`
      )
      // A thousandth of them dead, and as many delivered ones due.
      await client.query(
        `INSERT INTO lead_signals.delivery (brand_id, id, webhook_id, state, attempts, failures, due_at, created_at, finished_at)
       SELECT 1, 'wh_' || i, (SELECT id FROM lead_signals.webhook), CASE WHEN i % 1000 = 0 THEN 'dead' ELSE 'delivered' END, 1, 0, NULL, 0,
         CASE WHEN i % 1000 < 2 THEN i ELSE ${before} + i END FROM generate_series(1, ${leads}) i`
      )
      await client.query(
        `INSERT INTO lead_signals.suppression (brand_id, hash, erased_at)
       SELECT 1 + i % 2, encode(sha256(i::text::bytea), 'hex'), CASE WHEN i % 1000 = 0 THEN i ELSE ${before} + i END
       FROM generate_series(1, ${leads}) i`
      )
    })
    afterAll(() => client.end())

    /** Plays a round of pieces that remove nothing; answers the keys that were found and how many pieces it took. */
    const round = async (kind: RetentionKind) => {
      const limit = RetentionRounds.pieceSizes[kind]
      const keys = new Set<number | string>()
      const misread: Array<string> = []
      let pieces = 0
      // What is removed is not found again: a piece of deliveries has no cursor, so one is enough.
      for (let after: PruneCursor | null = null, isEnd = false; !isEnd; pieces++) {
        const work = (db: ReturnType<typeof connectionOver>) => findDue[kind](db, { before, after, limit })
        // Plans are looked at in the first pieces, and in some of the others.
        if (pieces < 3 || pieces % 10 === 0) {
          const { statements } = await explained(client, work, true)
          let rows = 0
          for (const { generic, plan, text } of statements) {
            for (const node of [...nodesOf(plan), ...nodesOf(generic)])
              if (/Seq Scan|Sort/.test(node["Node Type"]) && !text.includes("FROM lead_signals.brand"))
                misread.push(`${kind}: ${node["Node Type"]} of ${node["Relation Name"]} in ${text}`)
            for (const node of nodesOf(plan)) {
              if (node["Relation Name"] === undefined) continue
              rows += (node["Actual Rows"]! + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]!
            }
          }
          if (rows > maxRows[kind]!) misread.push(`${kind} reads ${rows} rows in piece ${pieces}`)
        }
        const found = await work(connectionOver(client))
        for (const key of found.keys) keys.add(key)
        after = found.next
        isEnd = after === null || after.length === 0
      }
      expect([...new Set(misread)]).toEqual([])
      return { found: keys.size, pieces }
    }

    const check = async (): Promise<void> => {
      const ofLeads = await round("leads")
      expect(ofLeads.found).toBe(quiet)
      expect(ofLeads.pieces).toBeLessThanOrEqual(leads / 500 + quiet + 3)
      for (const kind of ["deliveries", "deadLetters"] as const)
        expect((await round(kind)).found).toBe(Math.min(leads / 1000, RetentionRounds.pieceSizes[kind]))
      expect((await round("suppressions")).found).toBe(leads / 1000)
      expect((await round("events")).found).toBe(leads - quiet)
      expect((await round("engagements")).found).toBe(quiet)
    }

    it("reads a bounded number of rows by indexes, without statistics [RET-4]", check)

    it.runIf(isThorough)(
      "reads a bounded number of rows by indexes, with statistics, and with those of another time [RET-4]",
      async () => {
        await client.query("ANALYZE")
        await check()
        await setStatisticsOfFewRows(client)
        await check()
      }
    )
  }
)
