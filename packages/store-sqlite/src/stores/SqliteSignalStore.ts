/** Signals on SQLite. */
import { type Signal, SignalStore } from "@lead-signals/domain"
import { journaled } from "@lead-signals/removal-journal"
import { Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import { idOf, signalOf, type SignalRow } from "@lead-signals/sql-rows"
import { createInBrand, readAll, readOne, rename } from "./Statements.ts"

const make = Effect.gen(function* () {
  const database = yield* Database
  return SignalStore.of({
    create: (brandId, signal, now) =>
      database.write(
        createInBrand(
          brandId,
          readOne<SignalRow, Signal>(
            signalOf,
            "INSERT INTO signal (brand_id, name, signal_type, source, created_at) VALUES (?, ?, ?, ?, ?) RETURNING *",
            [idOf(brandId), signal.name, signal.signalType, JSON.stringify(signal.source), now]
          )
        )
      ),
    list: (brandId) =>
      database.read(
        readAll(signalOf, "SELECT * FROM signal WHERE brand_id = ? AND deleted_at IS NULL ORDER BY id", [
          idOf(brandId)
        ])
      ),
    rename: (brandId, id, name) =>
      database.write(
        rename<SignalRow, Signal>(signalOf, "signal", name, "id = ? AND brand_id = ?", [
          idOf(id),
          idOf(brandId)
        ])
      ),
    delete: (brandId, id, now) =>
      journaled(
        database,
        database.write(
          (sql) =>
            sql.all(
              "UPDATE signal SET deleted_at = ? WHERE id = ? AND brand_id = ? AND deleted_at IS NULL RETURNING id",
              [now, idOf(id), idOf(brandId)]
            ).length === 1
        )
      )
  })
})

/** The port of signals. Needs the file's `Database`. */
export const layer = Layer.effect(SignalStore, make)
