import type { StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"

/** What of a store's database keeps its journal. */
export interface Journaling {
  /** Writes to the journal what was committed and is not in it yet. Fails with `StoreUnavailable` when the journal can't be written. */
  readonly journalRemovals: Effect.Effect<void, StoreUnavailable>
}

/**
 * A write that removes something: succeeds when the journal of removals has it, too. The journal gets what was committed also when the
 * write failed or its caller went away. [REST-1]
 */
export const journaled = <A>(
  { journalRemovals }: Journaling,
  removal: Effect.Effect<A, StoreUnavailable>
): Effect.Effect<A, StoreUnavailable> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.exit(restore(removal)), (exit) => Effect.zipRight(journalRemovals, exit))
  )
