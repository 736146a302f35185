/** The store within a transaction of the host's own. */
import {
  Brands,
  LeadStore,
  Outbox,
  recordObservations,
  Signals,
  type StorePorts,
  Webhooks,
  WebhookTargets
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Exit, Layer, ManagedRuntime, Option } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeSchema } from "../harness/MadeSchema.ts"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { newSchema, sharedDatabase } from "./Databases.ts"

const anyTarget = Layer.succeed(WebhookTargets, { check: (url: string) => Effect.succeed(url) })
const withNeeds = (store: Layer.Layer<StorePorts, unknown>) =>
  ManagedRuntime.make(Layer.mergeAll(store, webCrypto, anyTarget))

describe.skipIf(isWithoutPostgres)("a store within the host's own transaction", () => {
  const schema = newSchema()
  let pool: pg.Pool
  let node: ReturnType<typeof withNeeds>
  let brand: Effect.Effect.Success<ReturnType<typeof Brands.create>>
  let signalId: string

  const observe = (person: string) =>
    Effect.suspend(() =>
      recordObservations(brand, [
        { signalId, person: { extId: person, name: person }, engagement: { id: `e-${person}` } }
      ])
    )
  const names = async (): Promise<ReadonlyArray<string>> =>
    (await pool.query(`SELECT name FROM ${schema}.lead ORDER BY name`)).rows.map(({ name }) => name)
  const due = Effect.flatMap(Outbox, (outbox) =>
    outbox.lease({
      token: `t-${Math.random()}`,
      leaseMillis: 1000,
      limits: { total: 100, reserved: 0, perWebhook: 100, failingTotal: 100, perFailingWebhook: 100 },
      underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
      body: ({ lead }) => lead!.extId
    })
  )
  /** Runs the work on a client within BEGIN and the command that ends it. */
  const inHostTransaction = async <A>(
    end: "COMMIT" | "ROLLBACK",
    work: (client: pg.PoolClient, runtime: ReturnType<typeof withNeeds>) => Promise<A>
  ): Promise<A> => {
    const client = await pool.connect()
    try {
      await client.query("BEGIN")
      const runtime = withNeeds(PostgresStore.layerWith(client, { schema }))
      const result = await work(client, runtime)
      await runtime.dispose()
      await client.query(end)
      return result
    } finally {
      client.release()
    }
  }

  beforeAll(async () => {
    const url = await sharedDatabase()
    await makeSchema(url, schema)
    pool = new pg.Pool({ connectionString: url })
    node = withNeeds(PostgresStore.layer({ url, schema, maxConnections: 4 }))
    brand = await node.runPromise(Brands.create("B"))
    const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
    signalId = (await node.runPromise(Signals.create(brand.id, { name: "S", signalType: "t", source }))).id
    await node.runPromise(
      Webhooks.create(brand.id, { url: "u", events: ["activity.detected"], description: null, enabled: true })
    )
    await pool.query(`CREATE TABLE ${schema}_deal (name text)`)
  })
  afterAll(async () => {
    await node?.dispose()
    await pool?.end()
  })

  it("takes its writes back with the host's, and leaves nothing", async () => {
    const outcome = await inHostTransaction("ROLLBACK", async (client, runtime) => {
      await client.query(`INSERT INTO ${schema}_deal VALUES ('lost')`)
      return runtime.runPromise(observe("lost"))
    })
    expect(outcome).toMatchObject([{ outcome: "recorded" }])
    expect(await names()).toEqual([])
    expect((await pool.query(`SELECT * FROM ${schema}_deal`)).rows).toEqual([])
    expect((await node.runPromise(due)).leases).toEqual([])
  })

  it("commits with the host, sees its own writes before, and webhooks are due after the commit alone [DELIV-2]", async () => {
    const queued = node.runPromise(Effect.flatMap(Outbox, (outbox) => outbox.queued))
    await inHostTransaction("COMMIT", async (client, runtime) => {
      await client.query(`INSERT INTO ${schema}_deal VALUES ('won')`)
      const [recorded] = await runtime.runPromise(observe("won"))
      const read = await runtime.runPromise(
        Effect.flatMap(LeadStore, (store) => store.get(brand.id, recorded!.leadId!, "none"))
      )
      expect(Option.isSome(read)).toBe(true)
      expect(await names()).toEqual([])
      expect((await node.runPromise(due)).leases).toEqual([])
    })
    expect(await names()).toEqual(["won"])
    // The notification within the host's transaction wakes the emitters of the nodes.
    await queued
    expect((await node.runPromise(due)).leases.map(({ body }) => body)).toEqual(["won"])
  })

  it("fails by one method and goes on: the host's rows and the methods before stay", async () => {
    await inHostTransaction("COMMIT", async (client, runtime) => {
      await client.query(`INSERT INTO ${schema}_deal VALUES ('kept')`)
      await runtime.runPromise(observe("kept"))
      const failed = await runtime.runPromiseExit(
        Effect.flatMap(LeadStore, (store) =>
          store.commit(
            brand.id,
            [
              {
                personExtId: "broken",
                personHash: () => "broken",
                authorHash: null,
                engagementId: "broken",
                signalId,
                decide: () => {
                  throw new Error("planted")
                }
              }
            ],
            () => "id"
          )
        )
      )
      expect(Exit.isFailure(failed)).toBe(true)
      // A statement that the server refuses.
      const refused = withNeeds(PostgresStore.layerWith(client, { schema: "missing" }))
      expect(Exit.isFailure(await refused.runPromiseExit(Effect.void))).toBe(true)
      await refused.dispose()
    })
    expect(await names()).toEqual(["kept", "won"])
    expect(
      (await pool.query(`SELECT name FROM ${schema}_deal ORDER BY name`)).rows.map(({ name }) => name)
    ).toEqual(["kept", "won"])
  })

  it("gives the host's settings back that its statements change", async () => {
    await inHostTransaction("ROLLBACK", async (client, runtime) => {
      await client.query("SET LOCAL enable_sort = on")
      await runtime.runPromise(observe("other"))
      const { rows } = await client.query(
        "SELECT current_setting('enable_seqscan') AS scan, current_setting('enable_sort') AS sort"
      )
      expect(rows).toEqual([{ scan: "on", sort: "on" }])
    })
  })

  it("runs calls at once one after the other", async () => {
    await inHostTransaction("COMMIT", async (_client, runtime) => {
      const people = ["a", "b", "c", "d"]
      const outcomes = await Promise.all(people.map((person) => runtime.runPromise(observe(person))))
      expect(outcomes.flat().map(({ outcome }) => outcome)).toEqual(people.map(() => "recorded"))
    })
    expect(await names()).toEqual(["a", "b", "c", "d", "kept", "won"])
  })

  it("works over a pool of the host, which stays open", async () => {
    const runtime = withNeeds(PostgresStore.layerWith(pool, { schema }))
    await runtime.runPromise(observe("pooled"))
    await runtime.dispose()
    expect(await names()).toContain("pooled")
  })
})
