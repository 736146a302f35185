/** Transactions that take long and run in the writing worker, while this thread serves reads. */
import { Effect, type Scope } from "effect"
import { busyRetry, unavailable } from "../connection/BusyRetry.ts"
import { pragmasOf } from "../connection/FileConnection.ts"
import type { FileKey } from "../connection/FileKey.ts"
import type { OpenedFile } from "../connection/OpenedFile.ts"
import type { SharedSnapshot } from "../connection/SharedSnapshot.ts"
import type { Writability } from "../connection/Writability.ts"
import type { JobKind, Jobs } from "../worker/Jobs.ts"
import { type StoreWorker, storeWorker } from "../worker/StoreWorker.ts"
import type { WriteInWorker } from "./Database.ts"
import type { WriteBarrier } from "./GroupCommit.ts"
import type { MergeScheduler } from "./MergeScheduler.ts"
import type { WriteAheadLog } from "./WriteAheadLog.ts"

/** The worker that checkpoints the log, merges segments, erases much and migrates large files. */
export const writingWorker = (
  filename: string,
  synchronous: string,
  key: FileKey | undefined,
  beforeOpening: () => void
): Effect.Effect<StoreWorker, never, Scope.Scope> =>
  storeWorker(filename, {
    readonly: false,
    busyMillis: 50,
    key,
    beforeOpening,
    pragmas: pragmasOf(synchronous)
  })

interface OffloadResources {
  readonly worker: StoreWorker
  readonly log: WriteAheadLog
  readonly snapshot: SharedSnapshot
  readonly barrier: WriteBarrier
  readonly opened: OpenedFile
  readonly writability: Writability
  readonly merges: MergeScheduler
}

/**
 * Runs jobs in the worker while the barrier holds back this thread's writes and no merge is under way. A job succeeds when its
 * commit is on the disk; it is retried while another process keeps the file locked, and its caller can't interrupt it.
 */
export const offloadTransactions =
  ({ barrier, log, merges, opened, snapshot, worker, writability }: OffloadResources): WriteInWorker =>
  <K extends JobKind>(kind: K, input: (now: number) => Jobs[K]["input"]) => {
    const run = (now: number): Promise<Jobs[K]["output"]> => {
      const done = worker.run(kind, input(now))
      const raised: Promise<unknown> = done
        .catch(() => {})
        .then(() => {
          if (barrier.raised === raised) barrier.raised = null
        })
      barrier.raised = raised
      return done
    }
    return Effect.uninterruptible(
      Effect.clockWith((clock) =>
        Effect.zipRight(
          opened.checked,
          Effect.tryPromise({
            try: () => run(clock.unsafeCurrentTimeMillis()),
            catch: (failure) => failure
          })
        )
      ).pipe(
        Effect.retry(busyRetry),
        Effect.mapError(unavailable),
        Effect.tap(() => {
          snapshot.end()
          return log.sync
        }),
        Effect.tapErrorCause((cause) => Effect.sync(() => writability.failed(cause))),
        merges.whilePaused
      )
    )
  }
