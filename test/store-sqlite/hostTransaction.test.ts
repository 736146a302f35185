/** The store within a transaction of the host's `SqlClient`. */
import { SqlClient } from "@effect/sql"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { Brands, LeadStore, recordObservations, Signals } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { storeContract } from "@lead-signals/store-contract"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Exit, Layer, Option } from "effect"
import { describe, expect, it } from "vitest"
import { temporaryFile } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

/** The host's client of a file that has the store's tables. */
const clientOf = (filename: string) => {
  const tables = Layer.build(SqliteStore.layer({ filename, synced: false }))
  return Layer.provideMerge(SqliteClient.layer({ filename }), Layer.effectDiscard(Effect.scoped(tables)))
}

storeContract(
  { describe, it },
  {
    name: "SQLite over a host's client",
    layer: () => {
      const client = clientOf(temporaryFile("store.sqlite"))
      return Layer.unwrapEffect(Effect.map(SqlClient.SqlClient, SqliteStore.layerOver)).pipe(
        Layer.provide(client)
      )
    },
    survivesReopening: true,
    leadHistories: isThorough ? 50 : 2,
    deliveryHistories: isThorough ? 50 : 2
  }
)

describe("SQLite over a host's client", () => {
  const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
  const run = <A, E>(
    work: Effect.Effect<
      A,
      E,
      | SqlClient.SqlClient
      | Layer.Layer.Success<typeof webCrypto>
      | Layer.Layer.Success<ReturnType<typeof SqliteStore.layerOver>>
    >
  ) => {
    const client = clientOf(temporaryFile("store.sqlite"))
    const store = Layer.unwrapEffect(Effect.map(SqlClient.SqlClient, SqliteStore.layerOver))
    return Effect.runPromise(Effect.provide(work, Layer.provideMerge(Layer.merge(store, webCrypto), client)))
  }
  const setUp = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE deal (buyer TEXT)`
    const brand = yield* Brands.create("B")
    const { id: signalId } = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
    const observe = (person: string) =>
      recordObservations(brand, [
        { signalId, person: { extId: person, name: person }, engagement: { id: `e-${person}` } }
      ])
    const names = sql<{ readonly name: string }>`SELECT name FROM lead ORDER BY name`.pipe(
      Effect.map((rows) => rows.map(({ name }) => name))
    )
    return { brand, names, observe, sql }
  })

  it("takes its writes back with the host's, and commits with them", () =>
    run(
      Effect.gen(function* () {
        const { names, observe, sql } = yield* setUp
        const failed = yield* Effect.exit(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`INSERT INTO deal VALUES ('lost')`
              const [recorded] = yield* observe("lost")
              expect(recorded!.outcome).toBe("recorded")
              expect(yield* names).toEqual(["lost"])
              return yield* Effect.fail("the host's own failure" as const)
            })
          )
        )
        expect(Exit.isFailure(failed)).toBe(true)
        expect(yield* names).toEqual([])
        yield* sql.withTransaction(Effect.zipRight(sql`INSERT INTO deal VALUES ('won')`, observe("won")))
        expect(yield* names).toEqual(["won"])
        expect(yield* sql`SELECT buyer FROM deal`).toEqual([{ buyer: "won" }])
      })
    ))

  it("fails by one method and goes on: what came before stays", () =>
    run(
      Effect.gen(function* () {
        const { brand, names, observe, sql } = yield* setUp
        yield* sql.withTransaction(
          Effect.gen(function* () {
            const [kept] = yield* observe("kept")
            const store = yield* LeadStore
            const failed = yield* Effect.exit(
              store.update(brand.id, kept!.leadId!, () => {
                throw new Error("planted")
              })
            )
            expect(Exit.isFailure(failed)).toBe(true)
            expect(Option.isSome(yield* store.get(brand.id, kept!.leadId!, "none"))).toBe(true)
          })
        )
        expect(yield* names).toEqual(["kept"])
      })
    ))

  it("refuses a file without its tables", async () => {
    const client = SqliteClient.layer({ filename: temporaryFile("other.sqlite") })
    const store = Layer.unwrapEffect(Effect.map(SqlClient.SqlClient, SqliteStore.layerOver))
    const exit = await Effect.runPromiseExit(Effect.provide(Effect.void, Layer.provide(store, client)))
    expect(String(exit)).toContain("the client's file has no tables of this version of Lead Signals")
  })
})
