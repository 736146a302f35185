/** The client is told nothing of why the store can't answer; the operator's log is. [ERR-3] */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"

export const logUnavailable = ({ reason }: StoreUnavailable): Effect.Effect<void> =>
  Effect.logWarning("store unavailable").pipe(Effect.annotateLogs({ reason }))
