import type { StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"

/** The part of a store's database that writes its journal of removals. */
export interface Journaling {
  /** Writes the committed removals that the journal lacks. Fails with `StoreUnavailable` when the journal can't be written. */
  readonly journalRemovals: Effect.Effect<void, StoreUnavailable>
}

/**
 * Runs a write that removes something, and succeeds once the journal has the removal. The journal is also written when the write fails or
 * is interrupted: a part of it may have been committed. [REST-1]
 */
export const journaled = <A>(
  { journalRemovals }: Journaling,
  removal: Effect.Effect<A, StoreUnavailable>
): Effect.Effect<A, StoreUnavailable> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.exit(restore(removal)), (exit) => Effect.zipRight(journalRemovals, exit))
  )
