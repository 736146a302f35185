/** Removes entries of the audit log that were kept long enough. They wait for nothing and nothing waits for them. [AUD-5] */
import { Clock, Effect } from "effect"
import { millisPerDay } from "../model/Duration.ts"
import type { StoreUnavailable } from "../model/Failure.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { loggedRound } from "./LoggedRound.ts"
import { pruneInPieces } from "./PruneInPieces.ts"

export { pieceSize } from "./PruneInPieces.ts"

/** Milliseconds for which entries are kept unless a host says otherwise: a year. */
export const defaultMillis = 365 * millisPerDay

/**
 * Removes the entries that are older than `keptMillis`, `pieceSize` in each transaction, and answers how many. Several processes may do so at
 * once. When it fails with `StoreUnavailable`, some may have gone; another call goes on. [AUD-5]
 */
export const prune = (keptMillis: number): Effect.Effect<number, StoreUnavailable, AuditLog> =>
  Effect.gen(function* () {
    const log = yield* AuditLog
    return yield* pruneInPieces((due) => log.prune(due), (yield* Clock.currentTimeMillis) - keptMillis)
  })

/**
 * Prunes for ever: when it begins, and then every hour. A failure or a defect of the store is logged, and the next hour tries again. A
 * `keptMillis` of null keeps everything. [AUD-5]
 */
export const retain = (keptMillis: number | null): Effect.Effect<never, never, AuditLog> =>
  keptMillis === null
    ? Effect.never
    : Effect.forever(
        Effect.zipRight(
          loggedRound("pruning of the audit log stopped, and goes on later")(prune(keptMillis)),
          Effect.sleep("1 hour")
        )
      )
