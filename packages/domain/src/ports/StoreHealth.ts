/** Whether the store can be read and written now. [HEALTH-2, HEALTH-3] */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../model/Failure.ts"
import type { Operations } from "./Operation.ts"

/** What a store that can be read can do besides. */
export interface StoreStatus {
  /** Why nothing can be written, in words for any client; null while it can, as far as is known. */
  readonly writeProblem: string | null
}

export class StoreHealth extends Context.Tag("@lead-signals/domain/StoreHealth")<
  StoreHealth,
  {
    /** Succeeds while the store can be read, and says whether it can be written. */
    readonly check: Effect.Effect<StoreStatus, StoreUnavailable>
  }
>() {
  static readonly operations: Operations<StoreHealth["Type"]> = { check: "read" }
}
