/** Where the keys' rate windows are kept. All processes that serve one store share them. [RATE-1, RATE-5] */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"
import type { RateDecision, RateWindow } from "../decisions/RateLimit.ts"
import type { Operations } from "./Operation.ts"

/** The port of a store for rate windows. Windows may be lost with the process; nothing else depends on them. */
export class RateWindows extends Context.Tag("@lead-signals/domain/RateWindows")<
  RateWindows,
  {
    /**
     * Replaces the key's window by what `step` makes of it, atomically, and answers the decision. `now` is read
     * within the same step: of two requests the one that comes first has the earlier time. A lost window only gives a
     * fresh budget. A store may count a small share of a large limit as used before it is, but never lets more
     * through than the limit. Fails with `StoreUnavailable`. [RATE-3, RATE-5]
     */
    readonly step: (
      keyId: string,
      step: (
        window: RateWindow | null,
        now: Instant
      ) => { readonly window: RateWindow; readonly decision: RateDecision }
    ) => Effect.Effect<RateDecision, StoreUnavailable>
  }
>() {
  /** Which methods write the store; a wrapper of the port derives its list from here. */
  static readonly operations: Operations<RateWindows["Type"]> = {
    step: "write"
  }
}
