/** Rate windows of one process. */
import { type RateLimit, RateWindows } from "@lead-signals/domain"
import { Effect, Layer } from "effect"

export const layer = Layer.sync(RateWindows, () => {
  const windows = new Map<string, RateLimit.RateWindow>()
  return RateWindows.of({
    step: (keyId, step) =>
      Effect.sync(() => {
        const { decision, window } = step(windows.get(keyId) ?? null)
        windows.set(keyId, window)
        return decision
      })
  })
})
