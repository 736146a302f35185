/** The health of a store on SQLite. */
import { StoreHealth } from "@lead-signals/domain"
import { Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"

/** The port of the store's health. Needs the file's `Database`. */
export const layer = Layer.effect(
  StoreHealth,
  Effect.map(Database, ({ status }) => StoreHealth.of({ check: status }))
)
