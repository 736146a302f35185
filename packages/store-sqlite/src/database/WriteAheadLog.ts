/**
 * Syncs and checkpoints the write-ahead log. A commit waits for its sync without blocking this thread; the writing worker
 * checkpoints the log soon after.
 */
import { StoreUnavailable } from "@lead-signals/domain"
import { Effect, type Scope } from "effect"
import { close, fdatasync, fdatasyncSync, openSync, statSync } from "node:fs"
import type { DriverConnection } from "../connection/DriverConnection.ts"
import { diskIsFull } from "../connection/BusyRetry.ts"
import { syncFolderOf } from "../connection/FolderSync.ts"
import type { Checkpoint, CheckpointMode } from "../worker/Jobs.ts"
import type { StoreWorker } from "../worker/StoreWorker.ts"

/** Syncs commits to the disk, and keeps the log short. */
export interface WriteAheadLog {
  /** Ends when all earlier commits are on the disk. */
  readonly sync: Effect.Effect<void, StoreUnavailable>
  /** Whether a sync has failed: even committed rows that were only read may be missing on the disk. */
  readonly isSuspect: () => boolean
  /** Removes overwritten pages from the log: at once, or as soon as no reader is in the way. [PII-3] */
  readonly truncate: Effect.Effect<void>
}

/** Whether a log exists: a process that was killed left it, with pages that may hold erased data, or another process uses it. */
export const isLeft = (filename: string): boolean =>
  (statSync(`${filename}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0

/** SQLite syncs and checkpoints the log itself: for a file that need not survive a loss of power, or where there is no thread. */
export const ofSqlite = (writer: DriverConnection, wasLeft: boolean): Effect.Effect<WriteAheadLog> => {
  const truncate = Effect.ignore(Effect.try(() => writer.pragma("wal_checkpoint(TRUNCATE)")))
  return Effect.as(wasLeft ? truncate : Effect.void, {
    sync: Effect.void,
    isSuspect: () => false,
    truncate
  })
}

/** Milliseconds from a commit to the checkpoint that takes it and later commits over. */
const restMillis = 200

/** A log of more pages restarts as soon as all of it is checkpointed. */
const maxPages = 4000

/** A commit itself checkpoints a log of so many pages, so the log stays bounded when the worker fails. */
export const maxPagesEver = 32_000

const failed = (failure: unknown): StoreUnavailable => {
  if (failure instanceof StoreUnavailable) return failure
  const code = (failure as NodeJS.ErrnoException).code ?? "unknown"
  return code === "ENOSPC" || code === "EDQUOT"
    ? new StoreUnavailable({ reason: `${diskIsFull} (${code})`, publicReason: diskIsFull, cause: failure })
    : new StoreUnavailable({ reason: `the disk can't be written (${code})`, cause: failure })
}

/** Over a connection that leaves the waiting to us (`synchronous = NORMAL`) and has made the log; the worker writes, too. */
export const synced = (
  filename: string,
  wasLeft: boolean,
  worker: Pick<StoreWorker, "run">
): Effect.Effect<WriteAheadLog, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const log = yield* Effect.acquireRelease(
      Effect.try({
        try: () => {
          syncFolderOf(filename)
          // Nobody holds locks on it, so that closing it takes none away.
          const fd = openSync(`${filename}-wal`, "r+")
          // What a process committed that was killed before it was on the disk.
          fdatasyncSync(fd)
          return fd
        },
        catch: failed
      }),
      (fd) => Effect.async<void>((resume) => close(fd, () => resume(Effect.void)))
    )
    const rest: { timer: NodeJS.Timeout | null; isOver: boolean } = { timer: null, isOver: false }
    let isSuspect = false
    /** The log holds what is to be forgotten. */
    let isOwed = wasLeft
    const checkpoint = (mode: CheckpointMode): Promise<Checkpoint> => worker.run("checkpoint", mode)
    /**
     * A disk that failed once says nothing more of what it lost, and a log with a hole ends there: only when all of it is in the
     * file, and the log begun anew, is a write on the disk again.
     */
    const recover = Effect.tryPromise({
      try: async () => {
        const { busy } = await checkpoint("TRUNCATE")
        if (busy !== 0) {
          throw new StoreUnavailable({
            reason: "the disk failed, and other connections prevent a restart of the write-ahead log"
          })
        }
        isSuspect = false
        isOwed = false
      },
      catch: failed
    })
    const truncate = async (): Promise<void> => {
      isOwed = true
      const { busy } = await checkpoint("TRUNCATE")
      isOwed = busy !== 0
    }
    const takeOver = async (): Promise<void> => {
      const { checkpointed, log: pages } = await checkpoint("PASSIVE")
      // While a reader needs the log, waiting for him would keep those that write waiting, too.
      if (isOwed && checkpointed === pages) await truncate()
      if (isOwed || pages <= maxPages) return
      const { busy } = await checkpoint("RESTART")
      // The first writer into a restarted log waits for the disk within the transaction: this worker is it, not a caller.
      if (busy === 0) await worker.run("beginLog", null)
    }
    const afterARest = (): void => {
      if (rest.timer !== null || rest.isOver) return
      rest.timer = setTimeout(() => {
        rest.timer = null
        // What can't be taken over now stays in the log: nothing is lost, and the next one tries again.
        takeOver()
          .catch(() => {})
          .finally(() => {
            if (isOwed) afterARest()
          })
      }, restMillis)
      rest.timer.unref()
    }
    if (isOwed) afterARest()
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        rest.isOver = true
        if (rest.timer !== null) clearTimeout(rest.timer)
        // The last that closes the file takes the log away; another one does not know what is owed.
        if (isOwed) await truncate().catch(() => {})
      })
    )
    return {
      isSuspect: () => isSuspect,
      sync: Effect.suspend(() =>
        isSuspect
          ? recover
          : Effect.async<void, StoreUnavailable>((resume) => {
              fdatasync(log, (failure) => {
                afterARest()
                isSuspect ||= failure !== null
                resume(failure === null ? Effect.void : Effect.fail(failed(failure)))
              })
            })
      ),
      truncate: Effect.promise(() =>
        truncate()
          .catch(() => {})
          .finally(() => {
            if (isOwed) afterARest()
          })
      )
    }
  })
