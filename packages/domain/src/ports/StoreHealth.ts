/** The health of a store: whether it can be read and written now. [HEALTH-2, HEALTH-3] */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../model/Failure.ts"
import type { Operations } from "./Operation.ts"

/** The state of a store that can be read. */
export interface StoreStatus {
  /** Why nothing can be written, as a text that any client may see; null while writing works, as far as the store knows. */
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
  /** Whether each method reads or writes. */
  static readonly operations: Operations<StoreHealth["Type"]> = { check: "read" }
}
