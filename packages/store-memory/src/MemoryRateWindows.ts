/** The `RateWindows` port, in memory. */
import { RateWindows } from "@lead-signals/domain"
import { Clock, Effect, Layer } from "effect"
import { MemoryState } from "./MemoryState.ts"

const make = Effect.map(MemoryState, ({ memory: { rateWindows } }) =>
  RateWindows.of({
    step: (keyId, step) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const { decision, window } = step(rateWindows.get(keyId) ?? null, now)
        rateWindows.set(keyId, window)
        return decision
      })
  })
)

/** The port of rate windows, which end with the process. */
export const layer = Layer.effect(RateWindows, make)
