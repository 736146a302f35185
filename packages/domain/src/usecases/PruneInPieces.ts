import { Effect } from "effect"
import type { StoreUnavailable } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"

/** How many rows one piece removes at most, in one short transaction. */
export const pieceSize = 500

/**
 * Removes what is older than `before`, piece by piece, and answers how many rows went. `prunePiece` removes the oldest ones, at most `limit`, and
 * answers how many; fewer than `limit` are the last. Other fibers run between two pieces. When it fails with `StoreUnavailable`, some rows may
 * have gone; another call goes on.
 */
export const pruneInPieces = (
  prunePiece: (due: {
    readonly before: Instant
    readonly limit: number
  }) => Effect.Effect<number, StoreUnavailable>,
  before: Instant
): Effect.Effect<number, StoreUnavailable> =>
  Effect.gen(function* () {
    for (let removed = 0; ;) {
      const piece = yield* prunePiece({ before, limit: pieceSize })
      removed += piece
      if (piece < pieceSize) return removed
      yield* Effect.yieldNow()
    }
  })
