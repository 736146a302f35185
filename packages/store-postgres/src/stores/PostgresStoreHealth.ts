/** The health of a store on Postgres. */
import { StoreHealth } from "@lead-signals/domain"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"

/** The port of the store's health. Needs the `Database`. */
export const layer = Layer.effect(
  StoreHealth,
  Effect.map(Database, ({ status }) => StoreHealth.of({ check: status }))
)
