/**
 * How many rows Postgres looks at for each reading method of the ports, beside many leads, deliveries, readings and audit entries: by indexes
 * alone, and no more than a bound, with statistics and without.
 */
import {
  AccessTokenStore,
  AuditLog,
  BrandStore,
  CampaignStore,
  Deliveries,
  KeyStore,
  LeadQueries,
  LeadStore,
  Pruning,
  SignalStore,
  storePorts,
  WebhookStore
} from "@lead-signals/domain"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Either } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { endsAt } from "../bench/Data.ts"
import { loadLeads } from "../bench/PostgresData.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import type { Needs } from "./MethodGroup.ts"

const leads = 20_000
const rows = 20_000
const dayMillis = 86_400_000

/** The hours of the last days of the leads. */
const hours = { start: endsAt - 7 * dayMillis, millis: 3_600_000, count: 168 }
const query = Either.getOrThrow(LeadQueries.readList([["includeEngagementDetail", "true"]]))

/** Each reading method by `port.method`: a call of it, and how many rows it may look at. */
const calls: Readonly<Record<string, readonly [maxRows: number, Effect.Effect<unknown, unknown, Needs>]>> = {
  "leads.list": [1500, Effect.flatMap(LeadStore, (store) => store.list("1", query))],
  "leads.listRendered": [1500, Effect.flatMap(LeadStore, (store) => store.listRendered!("1", query))],
  "leads.get": [100, Effect.flatMap(LeadStore, (store) => store.get("1", 17_000, "detailed"))],
  "leads.getRendered": [
    100,
    Effect.flatMap(LeadStore, (store) => store.getRendered!("1", 17_000, "detailed"))
  ],
  "leads.exportData": [300, Effect.flatMap(LeadStore, (store) => store.exportData("1", 17_000))],
  "leads.eventsAfter": [1000, Effect.flatMap(LeadStore, (store) => store.eventsAfter("1", 10_000, 100))],
  "leads.changesAfter": [
    2500,
    Effect.flatMap(LeadStore, (store) =>
      store.changesAfter("1", { epoch: "", position: 10_000, since: 0 }, { limit: 100, engagements: "none" })
    )
  ],
  "leads.counts": [
    1000,
    Effect.flatMap(LeadStore, (store) => store.counts("1", { of: "engagements", by: "type" }, hours))
  ],
  "brands.list": [100, Effect.flatMap(BrandStore, (store) => store.list)],
  "brands.get": [10, Effect.flatMap(BrandStore, (store) => store.get("1"))],
  "keys.list": [200, Effect.flatMap(KeyStore, (store) => store.list("2"))],
  "keys.findByHash": [10, Effect.flatMap(KeyStore, (store) => store.findByHash("hash-77"))],
  "accessTokens.list": [rows, Effect.flatMap(AccessTokenStore, (store) => store.list)],
  "accessTokens.findByHash": [10, Effect.flatMap(AccessTokenStore, (store) => store.findByHash("hash-77"))],
  "auditLog.list": [
    200,
    Effect.flatMap(AuditLog, (log) =>
      log.list({ brandIds: ["2"], since: null, after: { at: 15_000, id: "15000" }, limit: 50 })
    )
  ],
  "signals.list": [200, Effect.flatMap(SignalStore, (store) => store.list("1"))],
  "campaigns.list": [200, Effect.flatMap(CampaignStore, (store) => store.list("1"))],
  "campaigns.snapshot": [
    3000,
    Effect.flatMap(CampaignStore, (store) =>
      store.snapshot("1", "2", { startDate: "2025-01-01", endDate: "2025-02-01" })
    )
  ],
  "campaigns.dayChanges": [
    3000,
    Effect.flatMap(CampaignStore, (store) =>
      store.dayChanges("1", "2", { postId: null, endDate: "2030-01-01" })
    )
  ],
  "campaigns.posts": [3000, Effect.flatMap(CampaignStore, (store) => store.posts("1", "2", 100))],
  "webhooks.list": [100, Effect.flatMap(WebhookStore, (store) => store.list("1"))],
  "webhooks.get": [20, Effect.flatMap(WebhookStore, (store) => store.get("1", "1"))],
  "deliveries.list": [
    500,
    Effect.flatMap(Deliveries, (store) => store.list("1", { state: "dead", page: { page: 3, pageSize: 50 } }))
  ],
  "deliveries.get": [100, Effect.flatMap(Deliveries, (store) => store.get("1", "wh_777"))],
  "deliveries.counts": [1100, Effect.flatMap(Deliveries, (store) => store.counts("1", hours))],
  "pruning.newestPrunedEvent": [20, Effect.flatMap(Pruning, (store) => store.newestPrunedEvent)],
  "health.check": [100, Effect.flatMap(storePorts.health, (health) => health.check)]
}

/** Methods whose rows are as many as there are. */
const readsAll: Readonly<Record<string, string>> = {
  "pruning.countDue": "the dry run of an operator's command: `findDue` of the pruning itself is bounded"
}

/** Tables of as many rows as operators make by hand. */
const small = new Set([
  "removal_journal",
  "pruning",
  "brand",
  "signal",
  "webhook",
  "campaign",
  "migration",
  "access_token",
  "brand_version",
  "lead_count"
])

describe.skipIf(isWithoutPostgres || !isThorough)("reads beside many rows in Postgres", () => {
  let url: string
  let admin: pg.Client
  beforeAll(async () => {
    url = await newDatabase()
    await Effect.runPromise(
      Effect.void.pipe(Effect.provide(PostgresStore.layer({ url, notifications: false })))
    )
    await loadLeads(url, { leads, persons: 400, analyzes: false })
    admin = new pg.Client({ connectionString: url, options: "-c search_path=lead_signals" })
    await admin.connect()
    await admin.query("SET stats_fetch_consistency = none")
    await admin.query(
      `INSERT INTO webhook (brand_id, url, events, enabled, secrets, created_at) VALUES (1, 'https://r.example/', '[]', true, '[]', 0)`
    )
    await admin.query(
      `INSERT INTO event (brand_id, event, lead_id, engagement_id, is_first_activity, occurred_at)
       SELECT 1, 'activity.detected', i, 'engagement-' || i || '-1', true, i FROM generate_series(1, ${rows}) i WHERE i % 101 <> 0`
    )
    await admin.query(
      `INSERT INTO delivery (brand_id, id, webhook_id, state, attempts, failures, due_at, created_at, finished_at)
       SELECT 1, 'wh_' || i, 1, CASE WHEN i % 50 = 0 THEN 'dead' ELSE 'delivered' END, 1, 0, NULL, ${endsAt} - (${rows} - i) * 600000::bigint,
         ${endsAt} - (${rows} - i) * 600000::bigint FROM generate_series(1, ${rows}) i`
    )
    await admin.query(
      `INSERT INTO attempt (brand_id, delivery_seq, number, at, duration_millis, status) SELECT brand_id, seq, 1, finished_at, 1, 200 FROM delivery`
    )
    await admin.query(
      `INSERT INTO campaign (brand_id, name, created_at) SELECT 1, 'C', 0 FROM generate_series(1, 10)`
    )
    await admin.query(
      `INSERT INTO reading (brand_id, campaign_id, post_id, day, impressions, reactions, comments, reposts)
       SELECT 1, 1 + i % 10, 'post-' || (i / 10 % 20), (date '2025-01-01' + i / 200)::text, i, 1, 1, 1 FROM generate_series(0, ${rows - 1}) i`
    )
    await admin.query(
      `INSERT INTO audit_entry (at, actor_type, via_session, operation, brand_id, status)
       SELECT i, 'environment', false, 'listLeads', 1 + (i % 400 = 0)::int, 200 FROM generate_series(1, ${rows}) i`
    )
    await admin.query(
      `INSERT INTO api_key (brand_id, label, start, hash, requests_per_minute, created_at)
       SELECT 1 + (i % 200 = 0)::int, 'k', 's', 'hash-' || i, 60, 0 FROM generate_series(1, ${rows}) i`
    )
    await admin.query(
      `INSERT INTO access_token (name, start, hash, scopes, created_at)
       SELECT 't', 's', 'hash-' || i, '["read"]', 0 FROM generate_series(1, 100) i`
    )
    await admin.query("DO $$ BEGIN PERFORM pg_stat_force_next_flush(); END $$")
  })
  afterAll(() => admin?.end())

  interface Looked {
    readonly table: string
    readonly scanned: number
    readonly found: number
  }
  /** Rows that were looked at since the server began, one after the other and by indexes. */
  const looked = async (): Promise<ReadonlyArray<Looked>> =>
    (
      await admin.query(
        `SELECT relname AS table, seq_tup_read::int AS scanned, coalesce(idx_tup_fetch, 0)::int AS found FROM pg_stat_user_tables WHERE schemaname = 'lead_signals'`
      )
    ).rows

  /** Runs the call on connections of its own: the server adds up what they looked at when they end. */
  const costOf = async (call: Effect.Effect<unknown, unknown, Needs>) => {
    const before = new Map((await looked()).map((each) => [each.table, each]))
    const answer = await Effect.runPromise(
      Effect.provide(call as Effect.Effect<unknown>, PostgresStore.layer({ url, notifications: false }))
    )
    expect(answer).toBeDefined()
    const ended =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    while ((await admin.query(ended)).rows.length > 0);
    return (await looked()).map(({ found, scanned, table }) => ({
      table,
      scanned: scanned - before.get(table)!.scanned,
      found: found - before.get(table)!.found
    }))
  }

  const check = async (): Promise<void> => {
    const start = await costOf(Effect.succeed("nothing is asked"))
    const started = new Map(start.map((each) => [each.table, each]))
    const misread: Array<string> = []
    for (const [name, [maxRows, call]] of Object.entries(calls)) {
      let sum = 0
      for (const { found, scanned, table } of await costOf(call)) {
        const own = found - started.get(table)!.found
        if (scanned > 0 && !small.has(table)) misread.push(`${name} scans ${scanned} rows of ${table}`)
        sum += own + (small.has(table) ? 0 : scanned)
      }
      if (sum > maxRows) misread.push(`${name} looks at ${sum} rows`)
    }
    expect(misread).toEqual([])
  }

  it("covers each reading method of the ports", () => {
    const reading = Object.entries(storePorts).flatMap(([port, { operations }]) =>
      Object.entries(operations).flatMap(([method, operation]) =>
        operation === "read" ? [`${port}.${method}`] : []
      )
    )
    expect([...Object.keys(calls), ...Object.keys(readsAll)].toSorted()).toEqual(reading.toSorted())
  })

  it("looks at a bounded number of rows by indexes, without statistics [LIST-5]", { timeout: 300_000 }, check)

  it(
    "looks at a bounded number of rows by indexes, with statistics [LIST-5]",
    { timeout: 300_000 },
    async () => {
      await admin.query("ANALYZE")
      await check()
    }
  )
})
