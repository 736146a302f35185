/** Whether the store can be read and written now. [HEALTH-2, HEALTH-3] */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../model/Failure.ts"
import type { Operations } from "./Operation.ts"

/** Whether a readable store can be written. */
export interface StoreStatus {
  /** Why nothing can be written, in words for any client; null while writing works, as far as is known. */
  readonly writeProblem: string | null
  /**
   * Why the journal of removals, which a restore reads, can't be written; null while it can. Absent where the store keeps no journal.
   * [REST-2]
   */
  readonly journalProblem?: string | null
}

/** The port of a store for readiness checks. */
export class StoreHealth extends Context.Tag("@lead-signals/domain/StoreHealth")<
  StoreHealth,
  {
    /**
     * Succeeds while the store can be read, and says whether it can be written; fails with `StoreUnavailable`
     * otherwise. [HEALTH-2, HEALTH-3]
     */
    readonly check: Effect.Effect<StoreStatus, StoreUnavailable>
  }
>() {
  /** Which methods write the store; a wrapper of the port derives its list from here. */
  static readonly operations: Operations<StoreHealth["Type"]> = { check: "read" }
}
