/** The server's statistics, into which ANALYZE copies values of columns: they hold no person and no secret. */
import {
  Brands,
  Leads,
  recordObservations,
  Signals,
  Webhooks,
  WebhookTargets,
  type Entropy,
  type StorePorts,
  type StoreUnavailable
} from "@lead-signals/domain"
import type { EncryptionKey } from "@lead-signals/encryption"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { beforeEach, describe, expect, it } from "vitest"
import { migratedDatabase } from "../harness/MadeSchema.ts"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { findCanaries, observationOf } from "./Canaries.ts"
import { newKey } from "./Databases.ts"

const people = 40

const fill = Effect.gen(function* () {
  const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
  const brand = yield* Brands.create("B")
  const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
  // ANALYZE keeps no value that is in one row alone, unless in a histogram of many.
  const webhooks = yield* Effect.forEach([1, 2], () =>
    Webhooks.create(brand.id, {
      url: "https://receiver.example/",
      events: ["lead2.created"],
      description: null,
      enabled: true
    })
  )
  yield* recordObservations(
    brand,
    Array.from({ length: people }, (_, i) => observationOf(signal.id, i))
  )
  return { brand, secrets: [brand.suppressionSecret, ...webhooks.map(({ secrets }) => secrets.current)] }
})

describe.skipIf(isWithoutPostgres)("the statistics of a database on Postgres", () => {
  let url: string
  beforeEach(async () => {
    url = await migratedDatabase()
  })

  const inNode = <A, E>(
    work: Effect.Effect<A, E, StorePorts | Entropy | WebhookTargets>,
    key?: EncryptionKey
  ): Promise<A> => {
    const node = ManagedRuntime.make(
      Layer.mergeAll(
        PostgresStore.layer({
          url,
          notifications: false,
          maxConnections: 2,
          ...(key === undefined ? {} : { encryptionKey: key })
        }),
        webCrypto,
        Layer.succeed(WebhookTargets, { check: Effect.succeed })
      )
    )
    return node
      .runPromise(work as Effect.Effect<A, E | StoreUnavailable, StorePorts | Entropy | WebhookTargets>)
      .finally(() => node.dispose())
  }
  const query = async (text: string): Promise<ReadonlyArray<any>> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
  /** All that the statistics say of the tables' values. */
  const statistics = async (): Promise<string> =>
    JSON.stringify(
      await query(
        "SELECT tablename, attname, s::text AS row FROM pg_stats s WHERE schemaname = 'lead_signals'"
      )
    )
  const columnsWithPersons = async (): Promise<ReadonlyArray<string>> =>
    (
      await query(
        "SELECT tablename || '.' || attname AS name FROM pg_stats s WHERE schemaname = 'lead_signals' AND s::text ~* 'canary' ORDER BY 1"
      )
    ).map(({ name }) => name)
  /** As the version before this one left it, and as autovacuum has filled the statistics. */
  const beforeMigration = async (): Promise<void> => {
    const columns = await query(
      `SELECT format('ALTER TABLE lead_signals.%I ALTER COLUMN %I SET STATISTICS -1', c.relname, a.attname) AS change
       FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       WHERE c.relnamespace = 'lead_signals'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND a.attstattarget = 0`
    )
    for (const { change } of columns) await query(change)
    await query("DELETE FROM lead_signals.migration WHERE id >= 12; ANALYZE")
  }

  it("hold no person and no secret after ANALYZE, so none of an erased person [PII-3, PII-4]", async () => {
    const { brand, secrets } = await inNode(fill)
    await query("ANALYZE")
    expect(await statistics()).toContain("score_rank")
    expect(await columnsWithPersons()).toEqual([])
    await inNode(Effect.forEach([2, 4], (id) => Leads.erase(brand, id)))
    const found = await statistics()
    expect(findCanaries([Buffer.from(found)])).toEqual({})
    expect(secrets.filter((secret) => found.includes(secret))).toEqual([])
  })

  it("lose what older versions left in them with the migration, which writes no table anew [PII-3]", async () => {
    const { secrets } = await inNode(fill)
    await beforeMigration()
    // Later migrations build the indexes of orders and of batches anew.
    const files = () =>
      query(
        `SELECT relname, relfilenode FROM pg_class WHERE relnamespace = 'lead_signals'::regnamespace
           AND relkind IN ('r', 'i') AND relname NOT IN ('engagement_by_author', 'attempt_by_batch') AND relname NOT LIKE 'lead\\_by\\_%' ORDER BY relname`
      )
    expect(await columnsWithPersons()).toContain("lead.name")
    expect(await columnsWithPersons()).toContain("lead_text.name_key")
    expect(await columnsWithPersons()).toContain("engagement.comment_text")
    const before = await files()
    await inNode(Effect.void)
    expect(await columnsWithPersons()).toEqual([])
    const found = await statistics()
    expect(secrets.filter((secret) => found.includes(secret))).toEqual([])
    expect(await files()).toEqual(before)
  })

  it("hold nothing that was plain once a database is encrypted [PII-4]", async () => {
    const { secrets } = await inNode(fill)
    await query("ANALYZE")
    await Effect.runPromise(PostgresStore.rekey(url, { current: undefined, target: newKey() }))
    await query("ANALYZE")
    const found = await statistics()
    expect(findCanaries([Buffer.from(found)])).toEqual({})
    expect(secrets.filter((secret) => found.includes(secret))).toEqual([])
  })
})
