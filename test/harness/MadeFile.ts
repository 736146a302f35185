/** A file with so many leads in two brands, half of them in each; nothing of it is left in a log. */
import { Brands, recordObservations, Signals } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Layer } from "effect"
import { raw } from "./RawFile.ts"

const atOnce = 500

const fill = (leads: number) =>
  Effect.gen(function* () {
    const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
    for (const name of ["First", "Second"]) {
      const brand = yield* Brands.create(name)
      const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
      const seen = Array.from({ length: leads / 2 }, (_, n) => ({
        signalId: signal.id,
        person: {
          extId: `person-${n}`,
          name: `Ünal "${n}" O'Neil`,
          headline: n % 3 === 0 ? null : `Sales ${n}`
        },
        engagement: { id: `${name}-${n}`, type: "comment", commentText: "x" }
      }))
      for (let from = 0; from < seen.length; from += atOnce)
        yield* recordObservations(brand, seen.slice(from, from + atOnce))
    }
  })

export const makeFile = async (filename: string, leads: number): Promise<void> => {
  const store = Layer.merge(SqliteStore.layer({ filename, synced: false }), webCrypto)
  await Effect.runPromise(fill(leads).pipe(Effect.provide(store), Effect.orDie))
  raw(filename, (db) => db.pragma("wal_checkpoint(TRUNCATE)"))
}
