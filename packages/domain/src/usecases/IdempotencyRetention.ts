/** Removes records of Idempotency-Keys after their day. [IDEM-6] */
import { Clock, Effect } from "effect"
import { keptMillis } from "../decisions/Idempotency.ts"
import type { StoreUnavailable } from "../model/Failure.ts"
import { IdempotencyRecords } from "../ports/IdempotencyRecords.ts"
import { loggedRound } from "./LoggedRound.ts"
import { pruneInPieces } from "./PruneInPieces.ts"

export { pieceSize } from "./PruneInPieces.ts"

/**
 * Removes the records that are older than a day, `pieceSize` in each transaction, and answers how many. Several processes may do so at once.
 * When it fails with `StoreUnavailable`, some may have gone; another call goes on. [IDEM-6]
 */
export const prune: Effect.Effect<number, StoreUnavailable, IdempotencyRecords> = Effect.gen(function* () {
  const records = yield* IdempotencyRecords
  return yield* pruneInPieces((due) => records.prune(due), (yield* Clock.currentTimeMillis) - keptMillis)
})

/**
 * Prunes for ever: when it begins, and then every 10 minutes. A failure or a defect of the store is logged, and the next round tries again.
 */
export const retain: Effect.Effect<never, never, IdempotencyRecords> = Effect.forever(
  Effect.zipRight(
    loggedRound("pruning of Idempotency-Keys stopped, and goes on later")(prune),
    Effect.sleep("10 minutes")
  )
)
