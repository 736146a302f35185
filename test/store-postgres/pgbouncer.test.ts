/** Nodes whose Postgres is behind PgBouncer, in both of its modes. */
import { Brands, recordInOneCommit, Signals, StoreHealth, StoreUnavailable } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { type Runner, storeContract } from "@lead-signals/store-contract"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import {
  isWithoutPgBouncer,
  keepsPreparedStatements,
  type PgBouncer,
  startPgBouncer
} from "../harness/PgBouncer.ts"
import { isWithoutPostgres, newDatabase, startPostgres } from "../harness/Postgres.ts"
import { startPostgresProxy } from "../harness/PostgresProxy.ts"
import { startReceiver } from "../harness/Receiver.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  setUpBrand,
  spawnBundle,
  startServer
} from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { newSchema } from "./Databases.ts"

endServersAfterTests()

const isLeftOut = isWithoutPostgres || isWithoutPgBouncer || !isThorough
const listing = { findingEffort: 0, maxBucketLeads: 3, maxComparedLeads: 0 }
const nameOf = (url: string): string => new URL(url).pathname.slice(1)
const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const environment = (database: string, pooler: string) => ({
  LEAD_SIGNALS_DATABASE: database,
  LEAD_SIGNALS_POSTGRES_POOLER: pooler,
  LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
  LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8"
})

/** Makes the tables over the server itself. */
const migrated = (options: PostgresStore.PostgresStoreOptions): Promise<void> =>
  Effect.runPromise(
    Effect.scoped(Effect.asVoid(Layer.build(PostgresStore.layer({ ...options, notifications: false }))))
  )

const brandOf = async (runtime: ManagedRuntime.ManagedRuntime<any, any>) => {
  const brand = await runtime.runPromise(Brands.create("B"))
  const source = { type: "posts-with-keywords", value: "v", liCompanyId: null, company: null } as const
  const signal = await runtime.runPromise(Signals.create(brand.id, { name: "S", signalType: "t", source }))
  return { brand, signalId: signal.id }
}

describe.skipIf(isLeftOut)("a node behind PgBouncer", () => {
  let direct: string
  const poolers: Array<PgBouncer> = []
  const pooler = async (mode: "session" | "transaction", poolSize: number): Promise<string> => {
    const started = await startPgBouncer(direct, { mode, poolSize })
    poolers.push(started)
    return started.url(nameOf(direct))
  }
  beforeAll(async () => {
    direct = await newDatabase()
  })
  afterAll(async () => {
    for (const each of poolers) await each.close()
  })

  it("in session mode migrates, serves and posts as over the server itself, and its statements are bounded [HEALTH-2]", async () => {
    const url = await pooler("session", 30)
    const server = await startServer(environment(url, ""), bundledServer)
    const receiver = await startReceiver()
    const { brandId, signalId } = await setUpBrand(server.url)
    const operate = (path: string, json: unknown) =>
      callJson(`${server.url}/operator/brands/${brandId}${path}`, operatorToken, "POST", json)
    await operate("/webhooks", { url: receiver.url, events: ["lead2.created"] })
    const observation = { signalId, person: { extId: "p", name: "N" }, engagement: { id: "e" } }
    expect((await operate("/observations", { observations: [observation] })).status).toBe(200)
    while (receiver.received.length === 0) await sleep(20)
    expect(await server.end("SIGTERM")).toBe(0)

    const layer = PostgresStore.layer({ url, statementTimeoutMillis: 300 })
    const runtime = ManagedRuntime.make(Layer.merge(layer, webCrypto))
    await runtime.runPromise(Effect.void)
    const admin = new pg.Client({ connectionString: direct })
    await admin.connect()
    await admin.query("BEGIN; LOCK TABLE lead_signals.brand IN ACCESS EXCLUSIVE MODE")
    const refused = await runtime.runPromise(Effect.either(Brands.create("B")))
    await admin.end()
    expect(Either.isLeft(refused) && (refused.left as StoreUnavailable).reason).toBe(
      "the database took too long (57014)"
    )
    await runtime.dispose()
  })

  it("in transaction mode serves from two nodes over two connections of the server, once it is migrated [DELIV-2]", async () => {
    const url = await pooler("transaction", 2)
    await migrated({ url: direct })
    const nodes = await Promise.all([
      startServer(environment(url, "transaction"), bundledServer),
      startServer({ ...environment(url, "transaction"), LEAD_SIGNALS_DEMO: "false" }, bundledServer)
    ])
    const receiver = await startReceiver()
    const { brandId, key, signalId } = await setUpBrand(nodes[0].url)
    const operate = (node: number, path: string, json: unknown) =>
      callJson(`${nodes[node]!.url}/operator/brands/${brandId}${path}`, operatorToken, "POST", json)
    await operate(0, "/webhooks", { url: receiver.url, events: ["lead2.created"] })
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const observation = { signalId, person: { extId: `p${i}`, name: "N" }, engagement: { id: `e${i}` } }
        const { status } = await operate(i % 2, "/observations", { observations: [observation] })
        const list = await callJson(`${nodes[(i + 1) % 2]!.url}/signals/leads?search=n`, key)
        return [status, list.status]
      })
    )
    expect(answers).toEqual(answers.map(() => [200, 200]))
    const ids = () => new Set(receiver.received.map(({ headers }) => headers["webhook-id"]))
    while (ids().size < 40) await sleep(20)
    for (const node of nodes) expect(await node.end("SIGTERM")).toBe(0)
    expect(receiver.received).toHaveLength(40)
  })

  it("in transaction mode refuses to migrate, and says over what it can", async () => {
    const url = await pooler("transaction", 2)
    const empty = await newDatabase()
    const there = new URL(url)
    there.pathname = `/${nameOf(empty)}`
    const { err, exit } = spawnBundle(bundledServer, environment(there.href, "transaction"))
    expect(await exit).not.toBe(0)
    expect(err()).toMatch(/has to be migrated.*connection to the server itself/)
  })

  it("in transaction mode asks about a lost commit, and gets the server's answer [DELIV-2]", async () => {
    await migrated({ url: direct })
    const proxy = await startPostgresProxy(direct)
    const bouncer = await startPgBouncer(proxy.url, { mode: "transaction", poolSize: 3 })
    poolers.push(bouncer)
    const layer = PostgresStore.layer({
      url: bouncer.url(nameOf(direct)),
      pooled: true,
      preparedStatements: false
    })
    const runtime = ManagedRuntime.make(Layer.merge(layer, webCrypto))
    const { brand, signalId } = await brandOf(runtime)
    for (const [n, cut] of (["before-commit", "after-commit", "after-commit"] as const).entries()) {
      proxy.cutNext(cut)
      const [answer] = await runtime.runPromise(
        recordInOneCommit(brand, [
          { signalId, person: { extId: `p${n}`, name: "N" }, engagement: { id: `e${n}` } }
        ])
      )
      expect([answer!.outcome, proxy.cuts()]).toEqual(["recorded", n + 1])
    }
    expect(await runtime.runPromise(Effect.flatMap(StoreHealth, ({ check }) => check))).toEqual({
      writeProblem: null
    })
    await runtime.dispose()
    await proxy.close()
  })

  it("in transaction mode takes no other transaction for one that a crash of the server lost [DELIV-2]", async () => {
    const server = await startPostgres({ synced: true, settings: { wal_writer_delay: "10s" } })
    const proxy = await startPostgresProxy(server.url())
    const bouncer = await startPgBouncer(proxy.url, { mode: "transaction", poolSize: 3 })
    await migrated({ url: server.url() })
    const layer = PostgresStore.layer({
      url: bouncer.url("postgres"),
      pooled: true,
      preparedStatements: false
    })
    const runtime = ManagedRuntime.make(Layer.merge(layer, webCrypto))
    try {
      const { brand, signalId } = await brandOf(runtime)
      // Connections of the pooler's that live on while those to the server are made anew.
      const check = Effect.flatMap(StoreHealth, (health) => health.check)
      await runtime.runPromise(
        Effect.all(
          Array.from({ length: 8 }, () => check),
          { concurrency: 8 }
        )
      )
      proxy.cutNext("before-commit")
      const answer = runtime.runPromise(
        Effect.either(
          recordInOneCommit(brand, [{ signalId, person: { extId: "p", name: "N" }, engagement: { id: "e" } }])
        )
      )
      while (proxy.cuts() === 0) await new Promise((resolve) => setImmediate(resolve))
      proxy.accept(false)
      await server.kill("SIGKILL")
      await server.start()
      const admin = new pg.Client({ connectionString: server.url() })
      await admin.connect()
      await admin.query("CREATE TABLE others (n integer)")
      for (let n = 0; n < 50; n++) await admin.query("INSERT INTO others VALUES (1)")
      proxy.accept(true)
      const result = await answer
      const { rowCount } = await admin.query("SELECT 1 FROM lead_signals.engagement WHERE id = 'e'")
      await admin.end()
      expect(Either.isRight(result) ? rowCount : 1).toBe(1)
    } finally {
      await runtime.dispose()
      await bouncer.close()
      await proxy.close()
      await server.remove()
    }
  })
})

describe.skipIf(isLeftOut).each([
  ["without prepared statements", false],
  ["with prepared statements", true]
] as const)("a store behind PgBouncer in transaction mode, %s,", (_, preparedStatements) => {
  if (preparedStatements && !keepsPreparedStatements) {
    it.skip("needs PgBouncer 1.21 or newer", () => {})
    return
  }
  let direct: string
  let bouncer: PgBouncer
  beforeAll(async () => {
    direct = await newDatabase()
    bouncer = await startPgBouncer(direct, { mode: "transaction", poolSize: 3 })
  })
  afterAll(() => bouncer?.close())

  const run: Runner = { describe, it }
  storeContract(run, {
    name: "Postgres behind PgBouncer",
    layer: () => {
      const schema = newSchema()
      const store = Layer.suspend(() =>
        PostgresStore.layer({
          url: bouncer.url(nameOf(direct)),
          schema,
          pooled: true,
          preparedStatements,
          maxConnections: 8,
          listing
        })
      )
      return Layer.unwrapEffect(
        Effect.as(
          Effect.promise(() => migrated({ url: direct, schema })),
          store
        )
      )
    },
    survivesReopening: true,
    leadHistories: 20,
    deliveryHistories: 20
  })
})
