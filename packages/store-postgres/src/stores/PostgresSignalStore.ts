/** Signals on Postgres. */
import { type Signal, SignalStore } from "@lead-signals/domain"
import { journaled } from "@lead-signals/removal-journal"
import { idOf, signalOf, type SignalRow } from "@lead-signals/sql-rows"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { signalColumns } from "../rows/DirectoryRows.ts"
import { createInBrand, readAll, readFirst, readOne } from "./Statements.ts"

const make = Effect.map(Database, (database) =>
  SignalStore.of({
    create: (brandId, signal, now) =>
      database.write(
        createInBrand(
          brandId,
          readOne<SignalRow, Signal>(
            signalOf,
            `INSERT INTO lead_signals.signal (brand_id, name, signal_type, source, created_at) VALUES ($1, $2, $3, $4, $5)
             RETURNING ${signalColumns}`,
            [idOf(brandId), signal.name, signal.signalType, JSON.stringify(signal.source), now]
          )
        )
      ),
    list: (brandId) =>
      database.read(
        readAll(
          signalOf,
          `SELECT ${signalColumns} FROM lead_signals.signal WHERE brand_id = $1 AND deleted_at IS NULL ORDER BY id`,
          [idOf(brandId)]
        )
      ),
    rename: (brandId, id, name) =>
      database.write(
        readFirst<SignalRow, Signal>(
          signalOf,
          `UPDATE lead_signals.signal SET name = $3 WHERE brand_id = $1 AND id = $2 AND deleted_at IS NULL
           RETURNING ${signalColumns}`,
          [idOf(brandId), idOf(id), name]
        )
      ),
    delete: (brandId, id, now) =>
      journaled(
        database,
        database.write(
          async (sql) =>
            (await sql.run(
              "UPDATE lead_signals.signal SET deleted_at = $3 WHERE brand_id = $1 AND id = $2 AND deleted_at IS NULL",
              [idOf(brandId), idOf(id), now]
            )) === 1
        )
      )
  })
)

/** The port of signals. Needs the `Database`. */
export const layer = Layer.effect(SignalStore, make)
