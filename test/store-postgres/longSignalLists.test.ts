/** A lead that so many signals caught that their list has no room in an index. */
import {
  Brands,
  copyTables,
  LeadQueries,
  LeadStore,
  recordInOneCommit,
  Signals,
  type SortOrder
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Either, Layer } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"

const source = { type: "posts-with-keywords", value: "v", liCompanyId: null, company: null } as const

/** Ids of so many digits that a hundred and fifty of them are longer than an entry of an index may be. */
const firstSignal = 1e15
const signals = 150

describe.skipIf(isWithoutPostgres)("a lead of 150 signals", () => {
  let client: pg.Client
  let url: string
  let brandId: string
  let signalIds: ReadonlyArray<string>

  const run = <A, E>(effect: Effect.Effect<A, E, Layer.Layer.Success<typeof store>>) =>
    Effect.runPromise(effect.pipe(Effect.provide(store), Effect.orDie))
  let store: Layer.Layer<
    Layer.Layer.Success<ReturnType<typeof PostgresStore.layer>> | Layer.Layer.Success<typeof webCrypto>,
    unknown
  >

  const observed = (person: string, id: string, n: number) => ({
    signalId: id,
    person: { extId: person, name: `Ada ${person}` },
    engagement: { id: `${person} ${n}` }
  })

  beforeAll(async () => {
    url = await newDatabase()
    store = Layer.merge(PostgresStore.layer({ url, notifications: false }), webCrypto)
    client = new pg.Client({ connectionString: url })
    await client.connect()
    const brand = await run(Brands.create("B"))
    brandId = brand.id
    await client.query(`ALTER TABLE lead_signals.signal ALTER COLUMN id RESTART WITH ${firstSignal}`)
    const made = await run(
      Effect.forEach(Array.from({ length: signals }), () =>
        Signals.create(brandId, { name: "S", signalType: "t", source })
      )
    )
    signalIds = made.map(({ id }) => id)
    const few = [observed("few", signalIds[0]!, 1), observed("other", signalIds[1]!, 1)]
    await run(recordInOneCommit(brand, few))
    await run(
      recordInOneCommit(
        brand,
        signalIds.slice(0, 100).map((id, i) => observed("many", id, i))
      )
    )
    await run(
      recordInOneCommit(
        brand,
        signalIds.slice(80).map((id, i) => observed("many", id, 100 + i))
      )
    )
  })
  afterAll(() => client.end())

  const columns = async () =>
    (await client.query("SELECT ext_id, signal_ids FROM lead_signals.lead ORDER BY id")).rows.map(
      ({ ext_id, signal_ids }) => [ext_id, signal_ids]
    )

  const expectAll = async (): Promise<void> => {
    const orders: ReadonlyArray<SortOrder.SortOrder["field"]> = ["createdAt", "updatedAt", "name", "score1"]
    for (const field of orders) {
      for (const signal of [0, 1, 149]) {
        const query = Either.getOrThrow(
          LeadQueries.readList([
            ["signalId", signalIds[signal]!],
            ["sort", `${field}:asc`]
          ])
        )
        const page = await run(Effect.flatMap(LeadStore, (leads) => leads.list(brandId, query)))
        const persons = page.leads.map(({ lead }) => lead.extId).sort()
        const both = ["few", "other"].filter((_, i) => i === signal)
        expect([field, signal, page.total, ...persons]).toEqual([
          field,
          signal,
          both.length + 1,
          ...[...both, "many"].sort()
        ])
        const many = page.leads.find(({ lead }) => lead.extId === "many")!
        expect(many.lead.signalIds).toEqual(signalIds)
      }
    }
    expect((await Effect.runPromise(PostgresStore.check(url))).problems).toEqual([])
  }

  it("is found by each of them in every order, and has them all [LIST-2, STORE-9]", async () => {
    expect(await columns()).toEqual([
      ["few", `["${signalIds[0]}"]`],
      ["other", `["${signalIds[1]}"]`],
      ["many", "[]"]
    ])
    await expectAll()
  })

  it("has them all in a copy, and is changed by nobody meanwhile [STORE-10]", async () => {
    const table = copyTables.find(({ name }) => name === "lead")!
    const copied = await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(PostgresStore.copySource(url), (from) =>
          Effect.promise(async () => {
            await client.query("SET lock_timeout = '20ms'")
            await expect(client.query("UPDATE lead_signals.lead SET name = 'Eve'")).rejects.toMatchObject({
              code: "55P03"
            })
            await client.query("RESET lock_timeout")
            for await (const rows of from.rows(table, null)) return rows
            return []
          })
        )
      )
    )
    const list = table.columns.indexOf("signal_ids")
    expect(copied.map((row) => JSON.parse(String(row[list])))).toEqual([
      [signalIds[0]],
      [signalIds[1]],
      signalIds
    ])
  })

  it("is found after a migration of a database that has the whole list [LIST-2, STORE-9]", async () => {
    await client.query(
      `DROP INDEX lead_signals.lead_by_created, lead_signals.lead_by_updated, lead_signals.lead_by_name, lead_signals.lead_by_score,
         lead_signals.lead_by_score_desc`
    )
    for (const [index, key] of [
      ["created", "created_at"],
      ["updated", "updated_at"],
      ["name", "name_key"],
      ["score", "score_rank"],
      ["score_desc", "score_rank_desc"]
    ]) {
      await client.query(
        `CREATE INDEX lead_by_${index} ON lead_signals.lead (brand_id, ${key}, id) INCLUDE (flags)`
      )
    }
    await client.query("UPDATE lead_signals.lead SET signal_ids = $1 WHERE ext_id = 'many'", [
      JSON.stringify(signalIds)
    ])
    await client.query(
      "DELETE FROM lead_signals.migration WHERE id >= (SELECT id FROM lead_signals.migration WHERE name = 'short signal lists')"
    )
    await expectAll()
    expect(await columns()).toContainEqual(["many", "[]"])
  })
})
