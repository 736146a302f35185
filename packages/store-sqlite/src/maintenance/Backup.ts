/** A copy of the file as it is at one moment, made while others read and write it. [STORE-8] */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Data, Effect } from "effect"
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import { openToRead } from "../connection/Driver.ts"
import { unavailable } from "../connection/BusyRetry.ts"
import { syncFolderOf } from "../database/WriteAheadLog.ts"

/** A file exists at the copy's path. */
export class TargetExists extends Data.TaggedError("TargetExists")<{ readonly target: string }> {}

export interface Backup {
  readonly pages: number
  readonly bytes: number
}

const pagesAtOnce = 2000

/** The partial copy's name holds the process's id, by which later backups see that the process has ended. */
const partialOf = (target: string): string => `${resolve(target)}.${process.pid}.lead-signals-partial`

const partialName = /\.(\d+)\.lead-signals-partial(?:-journal)?$/

/** Copies that this process is making. */
const underWay = new Set<string>()

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (failure) {
    // The process belongs to another user.
    return (failure as NodeJS.ErrnoException).code === "EPERM"
  }
}

const isLeft = (file: string): boolean => {
  const pid = partialName.exec(file)?.[1]
  if (pid === undefined) return false
  return Number(pid) === process.pid ? !underWay.has(file.replace(/-journal$/, "")) : !isRunning(Number(pid))
}

/** Removes partial copies of killed processes from the folder: they hold personal data that no erasure reaches. [PII-2] */
const removeLeft = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (isLeft(file)) rmSync(file, { force: true })
  }
}

const removeCopy = (partial: string): void => {
  for (const ending of ["", "-journal"]) rmSync(partial + ending, { force: true })
}

/**
 * Copies all pages under one read transaction: what is written meanwhile is not in it, and does not make it begin anew. The
 * copy is its owner's alone and on the disk when this succeeds; until then it has another name, and a failure leaves none. A
 * killed process leaves a partial copy, which the next backup into the same folder removes.
 */
export const backup = (
  filename: string,
  target: string,
  onProgress: (fraction: number) => void = () => {}
): Effect.Effect<Backup, StoreUnavailable | TargetExists> =>
  Effect.gen(function* () {
    if (existsSync(target)) return yield* new TargetExists({ target })
    const partial = partialOf(target)
    underWay.add(partial)
    return yield* Effect.onExit(copyTo(filename, target, partial, onProgress), () =>
      Effect.sync(() => {
        removeCopy(partial)
        underWay.delete(partial)
      })
    )
  })

const copyTo = (
  filename: string,
  target: string,
  partial: string,
  onProgress: (fraction: number) => void
): Effect.Effect<Backup, StoreUnavailable> =>
  Effect.gen(function* () {
    const copied = yield* Effect.acquireUseRelease(
      Effect.try({
        try: () => {
          removeLeft(dirname(partial))
          removeCopy(partial)
          closeSync(openSync(partial, "wx", 0o600))
          return openToRead(filename)
        },
        catch: unavailable
      }),
      (db) =>
        Effect.tryPromise({
          try: async () => {
            db.exec("BEGIN")
            db.prepare("SELECT count(*) FROM sqlite_schema").get()
            const { totalPages } = await db.backup(partial, {
              progress: ({ remainingPages, totalPages: all }) => {
                onProgress(all === 0 ? 0 : 1 - remainingPages / all)
                return pagesAtOnce
              }
            })
            return totalPages
          },
          catch: unavailable
        }),
      (db) => Effect.sync(() => db.close())
    )
    return yield* Effect.try({
      try: () => {
        const copy = openSync(partial, "r+")
        fsyncSync(copy)
        closeSync(copy)
        renameSync(partial, target)
        syncFolderOf(target)
        return { pages: copied, bytes: statSync(target).size }
      },
      catch: unavailable
    })
  })
