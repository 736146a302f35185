/** Connections that are cut at the worst moments: right before a COMMIT reaches the server, and right after it has committed. */
import {
  Brands,
  Keys,
  Leads,
  type Lease,
  Outbox,
  recordInOneCommit,
  Retries,
  Signals,
  StoreHealth,
  StoreUnavailable,
  Webhooks,
  WebhookTargets
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import { randomUUID } from "node:crypto"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { migratedDatabase } from "../harness/MadeSchema.ts"
import { isWithoutPostgres, newDatabase, startPostgres } from "../harness/Postgres.ts"
import { type Cut, type PostgresProxy, startPostgresProxy } from "../harness/PostgresProxy.ts"
import { cases, isThorough } from "../harness/Thoroughness.ts"

const anyTarget = Layer.succeed(WebhookTargets, { check: (url: string) => Effect.succeed(url) })
const host = (url: string) =>
  Layer.mergeAll(
    PostgresStore.layer({ url, notifications: false, statementTimeoutMillis: 2000 }),
    webCrypto,
    anyTarget
  )
type Needs = Layer.Layer.Success<ReturnType<typeof host>>

describe.skipIf(isWithoutPostgres)("a connection that is cut", () => {
  let proxy: PostgresProxy
  let runtime: ManagedRuntime.ManagedRuntime<Layer.Layer.Success<ReturnType<typeof host>>, StoreUnavailable>
  let admin: pg.Client
  let brand: Effect.Effect.Success<ReturnType<typeof Brands.create>>
  let signalId: string
  let number = 0

  beforeAll(async () => {
    const database = await migratedDatabase()
    proxy = await startPostgresProxy(database)
    runtime = ManagedRuntime.make(host(proxy.url))
    admin = new pg.Client({ connectionString: database })
    await admin.connect()
    brand = await runtime.runPromise(Brands.create("B"))
    const source = { type: "posts-with-keywords", value: "v", liCompanyId: null, company: null } as const
    signalId = (await runtime.runPromise(Signals.create(brand.id, { name: "S", signalType: "t", source }))).id
  })
  afterAll(async () => {
    await runtime?.dispose()
    await admin?.end()
    await proxy?.close()
  })

  const observation = () => {
    const n = number++
    return { signalId, person: { extId: `p${n}`, name: "N" }, engagement: { id: `e${n}` } }
  }
  const countOf = async (from: string): Promise<number> =>
    Number((await admin.query(`SELECT count(*) AS n FROM lead_signals.${from}`)).rows[0].n)
  /** Runs the work while its commit is cut; null when it failed as a store that is unavailable does. */
  const whileCut = async <A, E>(
    cut: Cut,
    work: Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof host>>>
  ): Promise<A | null> => {
    const before = proxy.cuts()
    proxy.cutNext(cut)
    const result = await runtime.runPromise(Effect.either(work))
    expect(proxy.cuts()).toBe(before + 1)
    if (Either.isRight(result)) return result.right
    expect(result.left).toBeInstanceOf(StoreUnavailable)
    expect(String((result.left as StoreUnavailable).reason)).not.toMatch(/[{}]|SELECT|COMMIT|p\d/)
    return null
  }

  it.each(["before-commit", "after-commit", "hold"] as const)(
    "%s leaves each observation there once, whatever was answered [DELIV-2, EVT-8]",
    async (cut) => {
      const rounds = cut === "hold" ? 1 : cases(30)
      let settled = 0
      for (let round = 0; round < rounds; round++) {
        const one = observation()
        const answered = await whileCut(cut, recordInOneCommit(brand, [one]))
        const found = await countOf(`engagement WHERE id = '${one.engagement.id}'`)
        if (answered !== null) {
          settled++
          expect([answered[0]!.outcome, found]).toEqual(["recorded", 1])
        }
        // The caller repeats what failed, and nothing is there twice.
        const [again] = await runtime.runPromise(recordInOneCommit(brand, [one]))
        expect(["recorded", "duplicate"]).toContain(again!.outcome)
        if (found === 1) expect(again!.outcome).toBe("duplicate")
        expect(await countOf(`engagement WHERE id = '${one.engagement.id}'`)).toBe(1)
        expect(await countOf(`lead WHERE ext_id = '${one.person.extId}'`)).toBe(1)
        expect(
          await countOf(`event WHERE engagement_id = '${one.engagement.id}' AND event = 'activity.detected'`)
        ).toBe(1)
      }
      // The server still knows what became of each transaction, and the store asks it.
      expect(settled).toBe(rounds)
    }
  )

  it.each(["before-commit", "after-commit"] as const)(
    "%s of an erasure leaves the person erased or whole, as a repetition finds [PII-3]",
    async (cut) => {
      for (let round = 0; round < cases(12); round++) {
        const one = observation()
        const [recorded] = await runtime.runPromise(recordInOneCommit(brand, [one]))
        const erased = await whileCut(cut, Leads.erase(brand, recorded!.leadId!))
        const there = await countOf(`lead WHERE ext_id = '${one.person.extId}'`)
        expect(await countOf(`lead_text WHERE lead_id = ${recorded!.leadId}`)).toBe(there)
        expect(await countOf(`engagement WHERE lead_id = ${recorded!.leadId}`)).toBe(there)
        if (erased !== null) expect(there).toBe(0)
      }
    }
  )

  /** What is made under a name of its own, and the row that shows it. */
  const creations: ReadonlyArray<
    readonly [what: string, create: (name: string) => Effect.Effect<unknown, unknown, Needs>, table: string]
  > = [
    ["brand", (name) => Brands.create(name), "brand WHERE name ="],
    [
      "signal",
      (name) =>
        Signals.create(brand.id, {
          name,
          signalType: "t",
          source: { type: "post-url", value: "v", liCompanyId: null, company: null }
        }),
      "signal WHERE name ="
    ],
    ["key", (label) => Keys.create(brand.id, { label, requestsPerMinute: 60 }), "api_key WHERE label ="],
    [
      "webhook",
      (description) =>
        Webhooks.create(brand.id, { url: "u", events: ["lead2.created"], description, enabled: false }),
      "webhook WHERE description ="
    ]
  ]

  it.each(
    creations.flatMap(([what, create, table]) =>
      (["before-commit", "after-commit"] as const).map((cut) => [cut, what, create, table] as const)
    )
  )("%s of a new %s makes it once, and answers it [DELIV-2]", async (cut, what, create, table) => {
    for (let round = 0; round < cases(12); round++) {
      const name = `${cut} ${what} ${round}`
      expect(await whileCut(cut, create(name))).not.toBeNull()
      expect(await countOf(`${table} '${name}'`)).toBe(1)
    }
  })

  it.each(["before-commit", "after-commit"] as const)(
    "%s of a lease and of a record leaves each delivery leased once and attempted once [DELIV-2, DELIV-3]",
    async (cut) => {
      const webhook = await runtime.runPromise(
        Webhooks.create(brand.id, {
          url: "u",
          events: ["activity.detected"],
          description: null,
          enabled: true
        })
      )
      for (let round = 0; round < cases(12); round++) {
        await runtime.runPromise(recordInOneCommit(brand, [observation()]))
        const lease = (token: string) =>
          Effect.flatMap(Outbox, (outbox) =>
            outbox.lease({
              token,
              leaseMillis: 60_000,
              limits: { total: 100, reserved: 0, perWebhook: 100, failingTotal: 100, perFailingWebhook: 100 },
              underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
              body: ({ deliveryId }) => deliveryId
            })
          )
        const leased = await whileCut(cut, lease(`${cut}-${round}-1`))
        expect(leased!.leases).toHaveLength(1)
        const [{ deliveryId, token }] = leased!.leases as [Lease]
        expect((await runtime.runPromise(lease(`${cut}-${round}-2`))).leases).toHaveLength(0)
        const at = Date.now()
        const result = { status: 200, error: null, response: "r", retryAfterSeconds: null }
        const recorded = await whileCut(
          cut,
          Effect.flatMap(Outbox, (outbox) =>
            outbox.record([
              {
                deliveryId,
                token,
                url: "u",
                at,
                durationMillis: 1,
                result,
                settle: (known, now) => Retries.settle(known, result, now, 0.5, [1000])
              }
            ])
          )
        )
        expect(recorded!.map(({ outcome }) => outcome)).toEqual(["delivered"])
        expect(await countOf(`delivery WHERE id = '${deliveryId}' AND state = 'delivered'`)).toBe(1)
        expect(
          await countOf(
            `attempt a JOIN lead_signals.delivery d ON d.brand_id = a.brand_id AND d.seq = a.delivery_seq WHERE d.id = '${deliveryId}'`
          )
        ).toBe(1)
      }
      await runtime.runPromise(Webhooks.remove(brand.id, webhook.id))
    }
  )

  it("of everything is told by readiness, and new connections are made afterwards [HEALTH-2]", async () => {
    proxy.accept(false)
    const down = await runtime.runPromise(Effect.either(Effect.flatMap(StoreHealth, ({ check }) => check)))
    expect(Either.isLeft(down) && down.left.reason).toBe("the database can't be reached")
    proxy.accept(true)
    const up = await runtime.runPromise(Effect.flatMap(StoreHealth, ({ check }) => check))
    expect(up).toEqual({ writeProblem: null })
    const { key } = await runtime.runPromise(Keys.create(brand.id, { label: "k", requestsPerMinute: 60 }))
    expect(key.id).toMatch(/^\d+$/)
  })
})

describe.skipIf(isWithoutPostgres)(
  "a server that does not tell the position of its log, as Aurora does not,",
  () => {
    it("is written and read as always, and what became of a lost commit is unknown [DELIV-2]", async () => {
      const database = await newDatabase()
      const admin = new pg.Client({ connectionString: database })
      await admin.connect()
      // A role is of all databases of the server.
      const role = `managed_${randomUUID().replaceAll("-", "")}`
      await admin.query(`CREATE ROLE ${role}`)
      await admin.query(`GRANT CREATE ON DATABASE ${new URL(database).pathname.slice(1)} TO ${role}`)
      await admin.query(
        "REVOKE EXECUTE ON FUNCTION pg_current_wal_lsn(), pg_walfile_name(pg_lsn) FROM PUBLIC"
      )
      const proxy = await startPostgresProxy(database)
      const runtime = ManagedRuntime.make(host(`${proxy.url}?options=-c%20role%3D${role}`))
      const countOf = async (from: string) =>
        Number((await admin.query(`SELECT count(*) AS n FROM lead_signals.${from}`)).rows[0].n)
      try {
        const brand = await runtime.runPromise(Brands.create("B"))
        const source = { type: "post-url", value: "v", liCompanyId: null, company: null } as const
        const signal = await runtime.runPromise(
          Signals.create(brand.id, { name: "S", signalType: "t", source })
        )
        for (const [n, cut] of (["before-commit", "after-commit"] as const).entries()) {
          const observation = {
            signalId: signal.id,
            person: { extId: `p${n}`, name: "N" },
            engagement: { id: `e${n}` }
          }
          proxy.cutNext(cut)
          const answer = await runtime.runPromise(Effect.either(recordInOneCommit(brand, [observation])))
          expect(proxy.cuts()).toBe(n + 1)
          expect(Either.isLeft(answer) && (answer.left as StoreUnavailable).reason).toContain(
            "it is not known"
          )
          expect(await countOf(`engagement WHERE id = 'e${n}'`)).toBe(cut === "after-commit" ? 1 : 0)
          const [again] = await runtime.runPromise(recordInOneCommit(brand, [observation]))
          expect(again!.outcome).toBe(cut === "after-commit" ? "duplicate" : "recorded")
        }
        expect(await runtime.runPromise(Effect.flatMap(StoreHealth, ({ check }) => check))).toEqual({
          writeProblem: null
        })
      } finally {
        await runtime.dispose()
        await proxy.close()
        await admin.query(`DROP OWNED BY ${role}`)
        await admin.query(`DROP ROLE ${role}`)
        await admin.end()
      }
    })
  }
)

describe.skipIf(isWithoutPostgres || !isThorough)("a commit that is lost with the server", () => {
  it("is not taken for another transaction, which has its id after the crash [DELIV-2]", async () => {
    // The log of the transaction stays in the memory that the kill loses.
    const server = await startPostgres({ synced: true, settings: { wal_writer_delay: "10s" } })
    const proxy = await startPostgresProxy(server.url())
    const runtime = ManagedRuntime.make(host(proxy.url))
    const admin = async (work: (client: pg.Client) => Promise<void>) => {
      const client = new pg.Client({ connectionString: server.url() })
      client.on("error", () => {})
      await client.connect()
      await work(client)
      await client.end().catch(() => {})
    }
    try {
      const brand = await runtime.runPromise(Brands.create("B"))
      const source = { type: "posts-with-keywords", value: "v", liCompanyId: null, company: null } as const
      const signal = await runtime.runPromise(
        Signals.create(brand.id, { name: "S", signalType: "t", source })
      )
      proxy.cutNext("before-commit")
      const answer = runtime.runPromise(
        Effect.either(
          recordInOneCommit(brand, [
            { signalId: signal.id, person: { extId: "p", name: "N" }, engagement: { id: "e" } }
          ])
        )
      )
      while (proxy.cuts() === 0) await new Promise((resolve) => setImmediate(resolve))
      proxy.accept(false)
      await server.kill("SIGKILL")
      await server.start()
      await admin(async (client) => {
        await client.query("CREATE TABLE others (n integer)")
        for (let n = 0; n < 50; n++) await client.query("INSERT INTO others VALUES (1)")
      })
      proxy.accept(true)
      const result = await answer
      await admin(async (client) => {
        const { rowCount } = await client.query("SELECT 1 FROM lead_signals.engagement WHERE id = 'e'")
        // An answer that it is recorded is true.
        expect(Either.isRight(result) ? rowCount : 1).toBe(1)
      })
    } finally {
      await runtime.dispose()
      await proxy.close()
      await server.remove()
    }
  })
})
