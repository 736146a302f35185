/** The store over a host's own database: the whole contract, and what is there after the host commits or rolls back. */
import { SqliteClient } from "@effect/sql-sqlite-node"
import { SqlClient } from "@effect/sql/SqlClient"
import {
  Brands,
  type Brand,
  Entropy,
  LeadQueries,
  DeliverySlots,
  Leads,
  LeadStore,
  Outbox,
  recordObservations,
  Signals,
  type StorePorts,
  Webhooks,
  WebhookTargets
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { type Runner, storeContract } from "@lead-signals/store-contract"
import Database from "better-sqlite3"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { temporaryFile } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const layerOf = (filename: string, options?: SqliteStore.HostStoreOptions) =>
  Layer.unwrapEffect(Effect.map(SqlClient, (client) => SqliteStore.layerOver(client, options))).pipe(
    Layer.provideMerge(Layer.orDie(SqliteClient.layer({ filename })))
  )

/** By default the cases that commit, roll back and open again, which a host's connection does in its own way. */
const overHost: Runner["it"] = (title, body, timeoutMillis) => {
  const run = isThorough || /over generated histories|STORE-[12]/.test(title) ? it : it.skip
  run(title, body, timeoutMillis)
}

storeContract(
  { describe, it: overHost },
  {
    name: "SQLite over a host's client",
    layer: () =>
      layerOf(temporaryFile("host.sqlite"), {
        rankIndex: { findingEffort: 0, maxBucketLeads: 3 },
        maxUnindexed: 2
      }),
    survivesReopening: true,
    leadHistories: isThorough ? 300 : 2,
    deliveryHistories: isThorough ? 100 : 1
  }
)

const anyTarget = Layer.succeed(WebhookTargets, { check: (url) => Effect.succeed(url) })

type Services = StorePorts | SqlClient | Entropy | WebhookTargets

const over = <A, E>(filename: string, program: Effect.Effect<A, E, Services>): Promise<A> =>
  Effect.runPromise(
    Effect.provide(program, Layer.mergeAll(layerOf(filename), webCrypto, anyTarget)) as Effect.Effect<A, E>
  )

const brandWithSignal = Effect.gen(function* () {
  const brand = yield* Brands.create("Host")
  const source = {
    type: "post-url",
    value: "https://network.example/p/1",
    liCompanyId: null,
    company: null
  } as const
  const signal = yield* Signals.create(brand.id, { name: "Launch", signalType: "post", source })
  return { brand, signal }
})

const total = (brand: Brand, query: ReadonlyArray<readonly [string, string]> = []) =>
  Effect.gen(function* () {
    return (yield* Leads.list(brand.id, yield* LeadQueries.readList(query))).total
  })

const seen = (signalId: string, name: string, headline = "Sells shoes") => ({
  signalId,
  person: { extId: `x-${name}`, name, headline },
  engagement: { id: `e-${name}` }
})

class Refused extends Error {}

describe("SQLite over a host's client", () => {
  it("commits with the host's rows, or vanishes with them, and no read remembers what vanished [STORE-1]", () =>
    over(
      temporaryFile("host.sqlite"),
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE deal (name TEXT)`
        const { brand, signal } = yield* brandWithSignal
        yield* recordObservations(brand, [seen(signal.id, "Zoe")])
        const deal = (name: string, fails: boolean) =>
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`INSERT INTO deal VALUES (${name})`
              const outcomes = yield* recordObservations(brand, [seen(signal.id, name)])
              expect(outcomes.map(({ outcome }) => outcome)).toEqual(["recorded"])
              // The transaction sees itself, by counters, search and page.
              expect(yield* total(brand)).toBe(2)
              expect(yield* total(brand, [["search", "sells"]])).toBe(2)
              expect(yield* total(brand, [["search", "shoes"]])).toBe(2)
              expect(yield* Leads.listRendered(brand.id, yield* LeadQueries.readList([]))).toMatchObject({
                total: 2
              })
              if (fails) yield* Effect.fail(new Refused())
            })
          )
        expect(yield* Effect.flip(deal("Ada", true))).toBeInstanceOf(Refused)
        expect(yield* total(brand)).toBe(1)
        expect(yield* total(brand, [["search", "sells"]])).toBe(1)
        expect((yield* Leads.listRendered(brand.id, yield* LeadQueries.readList([]))).leads).toHaveLength(1)
        expect(yield* sql`SELECT * FROM deal`).toEqual([])
        // The store counts changes: this one has the number of the one that vanished.
        yield* recordObservations(brand, [seen(signal.id, "Cleo", "Digs gardens")])
        expect(yield* total(brand, [["search", "shoes"]])).toBe(1)
        yield* Leads.erase(
          brand,
          (yield* Leads.list(brand.id, yield* LeadQueries.readList([["search", "Cleo"]]))).leads[0]!.lead.id
        )
        yield* deal("Bo", false)
        expect(yield* total(brand)).toBe(2)
        expect(yield* sql`SELECT * FROM deal`).toEqual([{ name: "Bo" }])
        const { leads } = yield* Leads.list(brand.id, yield* LeadQueries.readList([["sort", "name:asc"]]))
        expect(leads.map(({ lead }) => lead.profile.name)).toEqual(["Bo", "Zoe"])
      })
    ))

  it("takes back its own part alone when a method fails within the host's transaction [STORE-1]", () =>
    over(
      temporaryFile("host.sqlite"),
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE deal (name TEXT)`
        const { brand, signal } = yield* brandWithSignal
        const store = yield* LeadStore
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`INSERT INTO deal VALUES ('kept')`
            yield* recordObservations(brand, [seen(signal.id, "Ada")])
            const { id } = (yield* Leads.list(brand.id, yield* LeadQueries.readList([]))).leads[0]!.lead
            yield* Effect.flip(
              store.update(brand.id, id, () => {
                throw new Refused()
              })
            )
            yield* recordObservations(brand, [seen(signal.id, "Bo")])
          })
        )
        expect(yield* sql`SELECT * FROM deal`).toEqual([{ name: "kept" }])
        expect(yield* total(brand)).toBe(2)
      })
    ))

  it("has deliveries due after the host's commit, and none before [DELIV-2]", () =>
    over(
      temporaryFile("host.sqlite"),
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const outbox = yield* Outbox
        const { brand, signal } = yield* brandWithSignal
        const events = ["lead2.created", "activity.detected"] as const
        yield* Webhooks.create(brand.id, {
          url: "https://crm.example/",
          events,
          description: null,
          enabled: true
        })
        const lease = outbox.lease({
          token: "t",
          leaseMillis: 1000,
          limits: DeliverySlots.defaultLimits,
          underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
          body: () => "{}"
        })
        const recorded = yield* Deferred.make<void>()
        const ends = yield* Deferred.make<void>()
        const order = yield* Effect.fork(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* recordObservations(brand, [seen(signal.id, "Ada")])
              yield* Deferred.succeed(recorded, undefined)
              yield* Deferred.await(ends)
            })
          )
        )
        yield* Deferred.await(recorded)
        const leasing = yield* Effect.fork(lease)
        yield* Effect.yieldNow()
        expect(leasing.unsafePoll()).toBeNull()
        yield* Deferred.succeed(ends, undefined)
        yield* Fiber.join(order)
        expect((yield* Fiber.join(leasing)).leases).toHaveLength(2)
      })
    ))

  it("makes its tables beside the host's of the same names, once for each prefix [STORE-5]", async () => {
    const filename = temporaryFile("host.sqlite")
    const file = new Database(filename)
    file.exec(
      "CREATE TABLE lead (mine TEXT); CREATE TABLE event (mine TEXT); INSERT INTO lead VALUES ('a'), ('b')"
    )
    file.close()
    const opened = (options?: SqliteStore.HostStoreOptions) =>
      Effect.runPromise(Effect.scoped(Layer.build(layerOf(filename, options))))
    await opened()
    await opened({ tablePrefix: "other_" })
    await opened({ tablePrefix: "other_" })
    const after = new Database(filename)
    const names = after.prepare("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").pluck().all()
    const without = (names as Array<string>).filter((name) => !/^(?:lead_signals|other)_/.test(name))
    expect(without.sort()).toEqual(["event", "lead"])
    expect(names.filter((name) => String(name).startsWith("other_")).length).toBe(
      names.filter((name) => String(name).startsWith("lead_signals_")).length
    )
    expect(after.prepare("SELECT count(*) FROM lead").pluck().get()).toBe(2)
    expect(after.pragma("application_id", { simple: true })).toBe(0)
    after.close()
  })

  it.each(["", "1st_", "my tables", "x; DROP TABLE lead", "a".repeat(64)])(
    "refuses a prefix that is no name: %j",
    async (tablePrefix) => {
      const built = Layer.build(layerOf(temporaryFile("host.sqlite"), { tablePrefix }))
      const failure = await Effect.runPromise(Effect.flip(Effect.scoped(built)))
      expect(failure).toMatchObject({
        _tag: "@lead-signals/domain/StoreUnavailable",
        reason: expect.stringContaining("tablePrefix takes")
      })
    }
  )

  it("refuses tables of a newer version [STORE-5]", async () => {
    const filename = temporaryFile("host.sqlite")
    const built = Effect.scoped(Layer.build(layerOf(filename)))
    await Effect.runPromise(built)
    const file = new Database(filename)
    file.exec("INSERT INTO lead_signals_migration (migration_id, name) VALUES (9999, 'of tomorrow')")
    file.close()
    expect(await Effect.runPromise(Effect.flip(built))).toMatchObject({
      reason: expect.stringContaining("newer version")
    })
  })
})
