/** The store of API keys' rate windows. All processes that serve one store share them. [RATE-1, RATE-5] */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../model/Failure.ts"
import type { RateDecision, RateStep } from "../decisions/RateLimit.ts"
import type { Operations } from "./Operation.ts"

/** The port of a store for rate windows. A store may lose windows when its process ends, since nothing else depends on them. */
export class RateWindows extends Context.Tag("@lead-signals/domain/RateWindows")<
  RateWindows,
  {
    /**
     * Replaces the key's window by what `step` makes of it, atomically, and answers the decision. The store reads `now` in
     * the same step, so of two requests the first one has the earlier time. A `window` of null, for a new key or after a
     * loss, begins a new one. A store may count a small share of a large limit as used in advance, but never lets more
     * requests pass than the limit. Fails with `StoreUnavailable`. [RATE-3, RATE-5]
     */
    readonly step: (keyId: string, step: RateStep) => Effect.Effect<RateDecision, StoreUnavailable>
  }
>() {
  /** Whether each method reads or writes. */
  static readonly operations: Operations<RateWindows["Type"]> = {
    step: "write"
  }
}
