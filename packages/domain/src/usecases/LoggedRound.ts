import { Effect } from "effect"
import type { StoreUnavailable } from "../model/Failure.ts"

/**
 * Runs one round of work that is repeated for ever, so that no failure of one round prevents the next. It logs a failure or a defect as a
 * warning with `message`, and with the reason of the store's failure or the name of the defect: a defect's own message can hold stored data.
 * It answers null then. Never fails; ends when it is interrupted. [PII-2]
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
