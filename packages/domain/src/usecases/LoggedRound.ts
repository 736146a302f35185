/** Rounds of work that are repeated for ever: nothing that one of them meets ends the next. */
import { Effect } from "effect"
import type { StoreUnavailable } from "../model/Failure.ts"

/**
 * Logs what ended the round as a warning with this message, by the reason of the store's failure or by the name of a defect, whose message can
 * hold what was stored, and answers null then. Never fails; ends when it is interrupted. [PII-2]
 */
export const loggedRound =
  (message: string) =>
  <A, R>(round: Effect.Effect<A, StoreUnavailable, R>): Effect.Effect<A | null, never, R> => {
    const log = (reason: string): Effect.Effect<null> =>
      Effect.as(Effect.annotateLogs(Effect.logWarning(message), { reason }), null)
    return round.pipe(
      Effect.catchAll(({ reason }) => log(reason)),
      Effect.catchAllDefect((defect) => {
        const { name } = (defect ?? {}) as { readonly name?: unknown }
        return log(`internal error (${typeof name === "string" ? name : "unknown"})`)
      })
    )
  }
