/**
 * What Postgres does for a lease and for the record of its attempts while ordered webhooks hold 10,000s of deliveries back, before it has
 * statistics and after, for the parameters at hand and for any: no table is read from end to end, and what is read does not grow.
 */
import {
  Brands,
  LeadOrder,
  type LeaseRequest,
  Outbox,
  recordObservations,
  Signals,
  Webhooks,
  WebhookTargets
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { outboxOver } from "@lead-signals/store-postgres/internal"
import { Effect, Layer, Queue } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { migratedDatabase } from "../harness/MadeSchema.ts"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { recordAttempts } from "../harness/RecordedAttempts.ts"
import {
  connectionOver,
  explained,
  type ExplainedStatement,
  nodesOf,
  type PlanNode,
  rowsReadBy,
  setStatisticsOfFewRows
} from "./QueryPlans.ts"

const waitingDueAt = LeadOrder.waitingDueAt
const now = Date.now()
const dueAt = now - 1000
const retriedAt = now + 3_600_000

/** Deliveries that a lease and its record may look at: parts of 256 of three webhooks, the one before each, and what is leased. 28,000 are held back. */
const maxRows = 5000

/** What the plan does with deliveries. All other tables hold a few rows here. */
const deliveriesIn = (plan: PlanNode): ReadonlyArray<PlanNode> =>
  nodesOf(plan).filter((node) => node["Relation Name"] === "delivery")

const rowsRead = ({ plan }: ExplainedStatement): number =>
  deliveriesIn(plan).reduce((sum, node) => sum + rowsReadBy(node), 0)

/** Entries of indexes that a bitmap was made of. */
const entriesRead = ({ plan }: ExplainedStatement): number =>
  nodesOf(plan)
    .filter((node) => node["Node Type"] === "Bitmap Index Scan")
    .reduce((sum, node) => sum + node["Actual Rows"]! * node["Actual Loops"]!, 0)

describe.skipIf(isWithoutPostgres)("deliveries that ordered webhooks hold back in Postgres", () => {
  let client: pg.Client
  let webhooks: ReadonlyArray<string>
  let position: number
  let brand: string

  /** Deliveries of a webhook: `first` ones of so many leads, and `behind` each of them. */
  const add = async (
    webhookId: string,
    leads: number,
    behind: number,
    { behindDueAt, firstDueAt, from }: { behindDueAt: number; firstDueAt: number; from: number }
  ): Promise<void> => {
    await client.query(
      `INSERT INTO delivery (brand_id, id, webhook_id, position, state, attempts, failures, due_at, created_at, ordered_lead)
         SELECT $1, 'wh_' || $2::bigint || '-' || l || '-' || n, $2, $3, 'pending', 0, 0,
           CASE n WHEN 0 THEN $4::bigint ELSE $5::bigint END, $6, l
         FROM generate_series(0, $7::bigint) n CROSS JOIN generate_series($8::bigint, $8 + $9::bigint - 1) l ORDER BY n, l`,
      [brand, webhookId, position, firstDueAt, behindDueAt, dueAt, behind, from, leads]
    )
  }

  beforeAll(async () => {
    const url = await migratedDatabase()
    const targets = Layer.succeed(WebhookTargets, { check: Effect.succeed })
    const made = await Effect.runPromise(
      Effect.gen(function* () {
        const created = yield* Brands.create("B")
        const { id } = created
        const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
        const signal = yield* Signals.create(id, { name: "S", signalType: "t", source })
        const [one, two, three] = yield* Effect.forEach([1, 1, 5], (maxBatch) =>
          Webhooks.create(id, {
            url: "https://r.example/",
            events: ["activity.detected"],
            description: null,
            enabled: true,
            ordering: "lead",
            maxBatch
          })
        )
        yield* recordObservations(created, [
          { signalId: signal.id, person: { extId: "p", name: "N" }, engagement: { id: "e" } }
        ])
        return { brand: id, webhooks: [one!.id, two!.id, three!.id] }
      }).pipe(
        Effect.provide(Layer.mergeAll(PostgresStore.layer({ url, notifications: false }), webCrypto, targets))
      )
    )
    client = new pg.Client({ connectionString: url, options: "-c search_path=lead_signals" })
    await client.connect()
    ;({ brand, webhooks } = made)
    for (const table of ["delivery", "attempt", "event"])
      await client.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`)
    const { rows } = await client.query("SELECT max(position)::int AS position FROM event")
    position = rows[0].position
    await client.query("DELETE FROM delivery")
    const [one, two, three] = webhooks as [string, string, string]
    const held = { behindDueAt: waitingDueAt, firstDueAt: retriedAt, from: 1 }
    const due = { behindDueAt: dueAt, firstDueAt: dueAt }
    // One lead that has waited for long, and others that are due.
    await add(one, 1, 10_000, held)
    await add(one, 40, 1, { ...due, from: 1000 })
    // 1,000 leads that have waited, and some more whose later events nobody has set aside yet.
    await add(two, 1000, 10, held)
    await add(two, 10, 5, { ...due, firstDueAt: retriedAt, from: 2000 })
    await add(two, 40, 1, { ...due, from: 3000 })
    // Batches of the first events of leads.
    await add(three, 500, 10, held)
    await add(three, 300, 1, { ...due, from: 1000 })
    // What ended long ago.
    await client.query(
      `INSERT INTO delivery (brand_id, id, webhook_id, position, state, attempts, failures, created_at, finished_at, ordered_lead)
         SELECT $1, 'wh_ended-' || n, $2, $3, CASE n % 7 WHEN 0 THEN 'dead' ELSE 'delivered' END, 1, 0, $4, $4, 5000 + n % 50
         FROM generate_series(1, 3000) n`,
      [brand, one, position, dueAt]
    )
    await add(one, 50, 0, { ...due, from: 5000 })
  })
  afterAll(() => client.end())

  const request: LeaseRequest = {
    token: "e-1",
    emitter: "e",
    leaseMillis: 30_000,
    limits: { total: 15, reserved: 0, perWebhook: 5, failingTotal: 15, perFailingWebhook: 5 },
    underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
    body: ({ deliveryId }) => deliveryId
  }

  /** Leases, and records an attempt of each. Answers what was leased. */
  const leaseAndRecord = (outbox: typeof Outbox.Service, status: number) =>
    Effect.gen(function* () {
      const { leases } = yield* outbox.lease(request)
      yield* recordAttempts(leases, { status, response: () => "r" })
      return leases
    }).pipe(Effect.provideService(Outbox, outbox), Effect.runPromise)

  const check = async (): Promise<void> => {
    for (const status of [200, 500]) {
      const { result, statements } = await explained(
        client,
        (db) => {
          const at = <A>(work: (sql: typeof db) => Promise<A>) => Effect.promise(() => work(db))
          const outbox = outboxOver({
            read: at,
            write: (work) => at((sql) => work(sql, now)),
            queued: Effect.runSync(Queue.unbounded<void>())
          })
          return leaseAndRecord(outbox, status)
        },
        true
      )
      const ofWebhook = (id: string) => result.filter(({ webhook }) => webhook.id === id)
      expect(webhooks.map((id) => ofWebhook(id).length)).toEqual([5, 5, 25])
      const misread = statements.flatMap(({ generic, plan, text }) =>
        [...deliveriesIn(plan), ...deliveriesIn(generic)].flatMap((node) =>
          node["Node Type"].includes("Seq Scan") ? text : []
        )
      )
      expect(misread).toEqual([])
      const sum = statements.reduce((total, each) => total + rowsRead(each) + entriesRead(each), 0)
      expect(sum).toBeLessThanOrEqual(maxRows)
    }
  }

  it("are not read by a lease and the record of its attempts, without statistics [ORD-3]", check)

  it("are not read by a lease and the record of its attempts, with statistics [ORD-3]", async () => {
    await client.query("ANALYZE")
    await check()
  })

  it("are not read by a lease and the record of its attempts when the statistics are of another time [ORD-3]", async () => {
    // As of a table with few brands of few deliveries.
    await setStatisticsOfFewRows(client)
    await check()
  })

  it("are set aside by a few short leases that say at once that they have not looked at all [ORD-3]", async () => {
    await client.query("DELETE FROM delivery")
    const [one] = webhooks
    await add(one!, 1, 12_000, { behindDueAt: dueAt, firstDueAt: retriedAt, from: 1 })
    await add(one!, 1, 0, { behindDueAt: dueAt, firstDueAt: dueAt, from: 2 })
    const found: Array<readonly [leased: number, goesOn: boolean]> = []
    await client.query("BEGIN")
    const sql = connectionOver(client)
    const outbox = outboxOver({
      read: (work) => Effect.promise(() => work(sql)),
      write: (work) => Effect.promise(() => work(sql, now)),
      queued: Effect.runSync(Queue.unbounded<void>())
    })
    while (found.at(-1)?.[0] !== 1 && found.length < 10) {
      const { leases, nextDueAt } = await Effect.runPromise(outbox.lease(request))
      found.push([leases.length, nextDueAt !== null && nextDueAt <= now])
    }
    await client.query("ROLLBACK")
    // 5,000 at most in each; the one that is due stands behind all of them.
    expect(found).toEqual([
      [0, true],
      [0, true],
      [1, false]
    ])
  })
})
