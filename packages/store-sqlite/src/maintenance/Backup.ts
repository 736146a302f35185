/** A copy of the file as it is at one moment, made while others read and write it. [STORE-8] */
import type { StoreUnavailable } from "@lead-signals/domain"
import type BetterSqlite3 from "better-sqlite3"
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
import type { FileKey } from "../connection/FileKey.ts"
import { encryptionOf, type EncryptionOptions } from "../connection/StoreEncryption.ts"
import { storeWorker } from "../worker/StoreWorker.ts"
import { unavailable } from "../connection/BusyRetry.ts"
import { syncFolderOf } from "../database/WriteAheadLog.ts"
import { readVersion } from "./FileVersion.ts"

/** A file exists at the copy's path. */
export class TargetExists extends Data.TaggedError("TargetExists")<{
  /** The path where the copy should go. */
  readonly target: string
}> {}

/** The size of a copy that was made. */
export interface Backup {
  /** Pages of the copy, in SQLite's page size of the file. */
  readonly pages: number
  /** The length of the copy in bytes. */
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
 * Copies the file to `target` as of one moment: all pages under one read transaction, so that later writes are not in
 * the copy and do not make it begin again. The copy belongs to its owner alone and is on the disk when this succeeds.
 * Until then it has another name; a failure leaves no file, and the next backup into the folder removes what a killed
 * one left. The copy of an encrypted file, whose `encryption` must be given, is encrypted under the same key. `onProgress` gets the
 * fraction done, from 0 to 1. Fails with `TargetExists` when `target` exists, and with `StoreUnavailable`, also when the file is not of
 * Lead Signals or is of a newer version. [STORE-8]
 */
export const backup = (
  filename: string,
  target: string,
  onProgress: (fraction: number) => void = () => {},
  encryption?: EncryptionOptions
): Effect.Effect<Backup, StoreUnavailable | TargetExists> =>
  Effect.gen(function* () {
    if (existsSync(target)) return yield* new TargetExists({ target })
    const partial = partialOf(target)
    underWay.add(partial)
    return yield* Effect.onExit(
      copyTo(filename, target, partial, onProgress, encryptionOf(encryption).fileKey),
      () =>
        Effect.sync(() => {
          removeCopy(partial)
          underWay.delete(partial)
        })
    )
  })

/** Copies all pages of a plain file. Resolves to their number. */
const copyPages = async (
  db: BetterSqlite3.Database,
  partial: string,
  onProgress: (fraction: number) => void
): Promise<number> => {
  db.exec("BEGIN")
  db.prepare("SELECT count(*) FROM sqlite_schema").get()
  const { totalPages } = await db.backup(partial, {
    progress: ({ remainingPages, totalPages: all }) => {
      onProgress(all === 0 ? 0 : 1 - remainingPages / all)
      return pagesAtOnce
    }
  })
  return totalPages
}

const progressMillis = 200

/** Writes the rows of an encrypted file into a new one under the same key, in a thread: pages can't be copied under a key. */
const copyRows = (
  filename: string,
  partial: string,
  key: FileKey,
  pages: { readonly count: number; readonly size: number },
  onProgress: (fraction: number) => void
): Effect.Effect<number, StoreUnavailable> =>
  Effect.scoped(
    Effect.gen(function* () {
      const worker = yield* storeWorker(filename, { readonly: true, busyMillis: 10_000, pragmas: [], key })
      const report = Effect.sync(() => {
        const bytes = statSync(partial, { throwIfNoEntry: false })?.size ?? 0
        onProgress(Math.min(1, bytes / (pages.count * pages.size)))
      })
      yield* Effect.forkScoped(Effect.forever(Effect.delay(report, progressMillis)))
      yield* Effect.tryPromise({
        try: () => worker.run("vacuumInto", { target: partial }),
        catch: unavailable
      })
      return statSync(partial).size / pages.size
    })
  )

const numberOf = (db: BetterSqlite3.Database, pragma: string): number =>
  db.pragma(pragma, { simple: true }) as number

const copyTo = (
  filename: string,
  target: string,
  partial: string,
  onProgress: (fraction: number) => void,
  key: FileKey | undefined
): Effect.Effect<Backup, StoreUnavailable> =>
  Effect.gen(function* () {
    const copied = yield* Effect.acquireUseRelease(
      Effect.try({
        try: () => {
          const db = openToRead(filename, key)
          try {
            readVersion(db, filename)
            removeLeft(dirname(partial))
            removeCopy(partial)
            closeSync(openSync(partial, "wx", 0o600))
            return db
          } catch (failure) {
            db.close()
            throw failure
          }
        },
        catch: unavailable
      }),
      (db) =>
        key === undefined
          ? Effect.tryPromise({ try: () => copyPages(db, partial, onProgress), catch: unavailable })
          : copyRows(
              filename,
              partial,
              key,
              { count: numberOf(db, "page_count"), size: numberOf(db, "page_size") },
              onProgress
            ),
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
