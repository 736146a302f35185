/** Where the keys' rate windows are kept. All processes that serve one store share them. [RATE-1, RATE-5] */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"
import type { RateDecision, RateWindow } from "../decisions/RateLimit.ts"
import type { Operations } from "./Operation.ts"

export class RateWindows extends Context.Tag("@lead-signals/domain/RateWindows")<
  RateWindows,
  {
    /**
     * Replaces the key's window by what the step makes of it, atomically. `now` is read within the same step: of two
     * requests the one that comes first has the earlier time. A lost window only gives a fresh budget. Of a large limit a
     * store may count a small share as used before it is, but never let more through than the limit.
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
  static readonly operations: Operations<RateWindows["Type"]> = {
    step: "write"
  }
}
