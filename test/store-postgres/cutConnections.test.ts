/** Connections that are cut at the worst moments: right before a COMMIT reaches the server, and right after it has committed. */
import {
  Brands,
  Keys,
  Leads,
  recordInOneCommit,
  Signals,
  StoreHealth,
  StoreUnavailable
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import { randomUUID } from "node:crypto"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isWithoutPostgres, newDatabase, startPostgres } from "../harness/Postgres.ts"
import { type Cut, type PostgresProxy, startPostgresProxy } from "../harness/PostgresProxy.ts"
import { cases, isThorough } from "../harness/Thoroughness.ts"

const host = (url: string) =>
  Layer.merge(PostgresStore.layer({ url, notifications: false, statementTimeoutMillis: 2000 }), webCrypto)

describe.skipIf(isWithoutPostgres)("a connection that is cut", () => {
  let proxy: PostgresProxy
  let runtime: ManagedRuntime.ManagedRuntime<Layer.Layer.Success<ReturnType<typeof host>>, StoreUnavailable>
  let admin: pg.Client
  let brand: Effect.Effect.Success<ReturnType<typeof Brands.create>>
  let signalId: string
  let number = 0

  beforeAll(async () => {
    const database = await newDatabase()
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
