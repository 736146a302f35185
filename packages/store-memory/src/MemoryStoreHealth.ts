/** The health of a store in memory, which is always good. */
import { StoreHealth } from "@lead-signals/domain"
import { Effect, Layer } from "effect"

/** The port of the store's health. */
export const layer = Layer.succeed(StoreHealth, {
  check: Effect.succeed({ writeProblem: null })
})
