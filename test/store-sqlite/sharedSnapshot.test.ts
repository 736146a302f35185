/** Reads of one tick are of one state of the file; nobody notices but by the speed. */
import {
  type Brand,
  Brands,
  LeadQueries,
  Leads,
  LeadStore,
  recordObservations,
  Signals
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Either, Exit, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"

/** Over a file of its own, whose tick lasts until it is ended. */
const inOneTick = async <A>(
  work: (tick: { readonly end: () => void; readonly filename: string }) => Effect.Effect<A, unknown, any>
): Promise<A> => {
  const filename = emptyStoreFile()
  const atEnd: Array<() => void> = []
  const store = SqliteStore.layer({
    filename,
    ticks: { next: Effect.void, atEnd: (rest) => void atEnd.push(rest), maxMillis: Infinity }
  })
  const end = (): void => atEnd.splice(0).forEach((rest) => rest())
  const result = await Effect.runPromise(
    work({ end, filename }).pipe(Effect.provide(Layer.merge(store, webCrypto))) as Effect.Effect<A, unknown>
  )
  // A tick may outlast the store.
  end()
  return result
}

const observed = (brand: Brand, signalId: string, person: string) =>
  recordObservations(brand, [
    {
      signalId,
      person: { extId: person, name: person },
      engagement: { id: person, type: "comment", commentText: "c" }
    }
  ])

const setUp = Effect.gen(function* () {
  const brand = yield* Brands.create("B")
  const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
  const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
  return { brand, signal }
})

const names = (brandId: string) =>
  Effect.map(
    Leads.list(brandId, Either.getOrThrow(LeadQueries.readList([["sort", "createdAt:asc"]]))),
    ({ leads }) => leads.map(({ lead }) => lead.profile.name)
  )

describe("reads of one tick of the SQLite file", () => {
  it("see whatever this process has committed before them [STORE-3]", () =>
    inOneTick(() =>
      Effect.gen(function* () {
        const { brand, signal } = yield* setUp
        for (const person of ["p1", "p2", "p3"]) {
          const before = yield* names(brand.id)
          yield* observed(brand, signal.id, person)
          expect(yield* names(brand.id)).toEqual([...before, person])
        }
      })
    ))

  it("keep nothing from being read that others commit in later ticks [STORE-3]", () =>
    inOneTick(({ end, filename }) =>
      Effect.gen(function* () {
        const { brand, signal } = yield* setUp
        yield* observed(brand, signal.id, "p1")
        expect(yield* names(brand.id)).toEqual(["p1"])
        yield* observed(brand, signal.id, "p2").pipe(
          Effect.provide(SqliteStore.layer({ filename })),
          Effect.provide(webCrypto)
        )
        end()
        expect(yield* names(brand.id)).toEqual(["p1", "p2"])
      })
    ))

  it("leave no transaction open behind their tick, or behind the store [PII-3]", async () => {
    const filename = await inOneTick(({ end, filename }) =>
      Effect.gen(function* () {
        const { brand, signal } = yield* setUp
        yield* observed(brand, signal.id, "p1")
        const other = new Database(filename, { timeout: 0 })
        const isTaken = () =>
          (other.pragma("wal_checkpoint(TRUNCATE)") as Array<{ busy: number }>)[0]!.busy === 1
        // The reader of this tick needs no log that nobody has written to: what it reads must be in it.
        other.exec("UPDATE commits SET n = n + 1")
        yield* names(brand.id)
        other.exec("UPDATE commits SET n = n + 1")
        expect(isTaken()).toBe(true)
        end()
        expect(isTaken()).toBe(false)
        yield* names(brand.id)
        other.close()
        return filename
      })
    )
    const after = new Database(filename, { timeout: 0 })
    expect(after.pragma("wal_checkpoint(TRUNCATE)")).toEqual([{ busy: 0, log: 0, checkpointed: 0 }])
    after.close()
  })

  it("begin anew after one that failed", () =>
    inOneTick(({ filename }) =>
      Effect.gen(function* () {
        const { brand, signal } = yield* setUp
        const leads = yield* LeadStore
        expect(yield* names(brand.id)).toEqual([])
        yield* observed(brand, signal.id, "p1").pipe(
          Effect.provide(SqliteStore.layer({ filename })),
          Effect.provide(webCrypto)
        )
        expect(yield* names(brand.id)).toEqual([])
        // No number of a lead, and none that SQLite takes.
        const failed = yield* Effect.exit(leads.get(brand.id, {} as never, "none"))
        expect(Exit.isFailure(failed)).toBe(true)
        expect(yield* names(brand.id)).toEqual(["p1"])
      })
    ))
})
