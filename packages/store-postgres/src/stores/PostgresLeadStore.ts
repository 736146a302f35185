/** Leads on Postgres. */
import { LeadStore } from "@lead-signals/domain"
import { Effect, Layer } from "effect"

const missing = () => Effect.die("to be built")
export const layer = Layer.succeed(
  LeadStore,
  LeadStore.of({
    commit: missing,
    list: missing,
    get: missing,
    exportData: missing,
    update: missing,
    erase: missing,
    removeSome: missing
  })
)
