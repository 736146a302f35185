/** A copy of the file as it is at one moment, made while others read and write it. [STORE-8] */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Data, Effect, type Scope } from "effect"
import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs"
import { unavailable } from "../connection/BusyRetry.ts"
import { openToRead } from "../connection/Driver.ts"
import type { FileKey } from "../connection/FileKey.ts"
import { syncFile, syncFolderOf } from "../connection/FolderSync.ts"
import { storeWorker, type StoreWorker } from "../worker/StoreWorker.ts"
import { encryptionOf, type EncryptionOptions } from "../connection/StoreEncryption.ts"
import { readVersion } from "./FileVersion.ts"
import { logsLeftAt } from "./LeftLogs.ts"
import { partialFile, removeSideFiles } from "./PartialFiles.ts"
import type { CopyCounts } from "../connection/VerifyCopy.ts"

/** A file exists at the copy's path, or the log of a database that is gone exists beside that path, and would damage the copy. */
export class TargetExists extends Data.TaggedError("TargetExists")<{
  /** The path of the existing file: the copy's own path, or the path of the log. */
  readonly target: string
}> {}

/** A copy that was made and opened. */
export interface Backup {
  /** Pages of the copy, in SQLite's page size of the file. */
  readonly pages: number
  /** The length of the copy in bytes. */
  readonly bytes: number
  /** What was found in the copy when it was opened. */
  readonly counts: CopyCounts
}

/** How a backup runs. */
export interface BackupOptions {
  /** Gets the fraction done, from 0 to 1. */
  readonly onProgress?: (fraction: number) => void
  /** That of the file. The copy of an encrypted file is encrypted under the same key. */
  readonly encryption?: EncryptionOptions | undefined
}

/** A thread that makes or reads the copy, which would delay others on this one. */
const copying = (partial: string, key: FileKey | undefined): Effect.Effect<StoreWorker, never, Scope.Scope> =>
  storeWorker(partial, { readonly: false, busyMillis: 0, pragmas: ["query_only = ON"], key })

/** Runs a job of the thread, which an interruption ends. */
const inThread = <A>(worker: StoreWorker, run: () => Promise<A>): Effect.Effect<A, StoreUnavailable> =>
  Effect.async((resume) => {
    run().then(
      (value) => resume(Effect.succeed(value)),
      (failure: unknown) => resume(Effect.fail(unavailable(failure)))
    )
    return Effect.promise(() => worker.abort())
  })

/** The pages of a file of ours that this version can read. */
const pagesOf = (
  filename: string,
  key: FileKey | undefined
): { readonly count: number; readonly size: number } => {
  const db = openToRead(filename, key)
  try {
    readVersion(db, filename)
    const numberOf = (pragma: string): number => db.pragma(pragma, { simple: true }) as number
    return { count: numberOf("page_count"), size: numberOf("page_size") }
  } finally {
    db.close()
  }
}

/** Milliseconds between looks at how long the copy of an encrypted file has become. */
const progressMillis = 200

/** Writes the rows of an encrypted file into a new one under the same key: pages can't be copied under a key. */
const copyRows = (
  { filename, key, partial }: { readonly filename: string; readonly partial: string; readonly key: FileKey },
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
      yield* inThread(worker, () => worker.run("vacuumInto", { target: partial }))
      return yield* Effect.try({
        try: () => {
          syncFile(partial)
          return statSync(partial).size / pages.size
        },
        catch: unavailable
      })
    })
  )

/** Copies the file as of one moment to a new one, opens that, and reads it through. */
export const copyFile = (
  filename: string,
  partial: string,
  { encryption, onProgress = () => {} }: BackupOptions
): Effect.Effect<Omit<Backup, "bytes">, StoreUnavailable> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { fileKey: key } = encryptionOf(encryption)
      const found = yield* Effect.try({ try: () => pagesOf(filename, key), catch: unavailable })
      yield* Effect.try({
        try: () => closeSync(openSync(partial, "wx", 0o600)),
        catch: unavailable
      })
      const copied = key === undefined ? null : yield* copyRows({ filename, key, partial }, found, onProgress)
      const worker = yield* copying(partial, key)
      const pages =
        copied ??
        (yield* inThread(worker, () =>
          worker.run("copyPages", { filename, target: partial }, ({ fraction }) => onProgress(fraction))
        ))
      const counts = yield* inThread(worker, () => worker.run("verifyCopy", partial))
      return { pages, counts }
    })
  )

/** Gives the file its name; throws where there is one of the name. */
export const renameToNew = (partial: string, target: string): void => {
  try {
    linkSync(partial, target)
    rmSync(partial)
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === "EEXIST" || existsSync(target)) throw failure
    // A file system without hard links.
    renameSync(partial, target)
  }
  syncFolderOf(target)
}

const madeIn = (
  filename: string,
  target: string,
  options: BackupOptions
): Effect.Effect<Backup, StoreUnavailable | TargetExists, Scope.Scope> =>
  Effect.gen(function* () {
    if (existsSync(target)) return yield* new TargetExists({ target })
    const [log] = yield* Effect.try({ try: () => logsLeftAt(target), catch: unavailable })
    if (log !== undefined) return yield* new TargetExists({ target: log })
    const partial = yield* Effect.mapError(partialFile(target), unavailable)
    const copied = yield* copyFile(filename, partial, options)
    return yield* Effect.try({
      try: () => {
        removeSideFiles(partial)
        renameToNew(partial, target)
        return { ...copied, bytes: statSync(target).size }
      },
      catch: (failure) =>
        (failure as NodeJS.ErrnoException).code === "EEXIST"
          ? new TargetExists({ target })
          : unavailable(failure)
    })
  })

/**
 * Copies the file to `target` as of one moment: all pages under one read transaction, so that later writes are not in
 * the copy and do not make it begin again. The copy is opened and read through, belongs to its owner alone, and is on the disk
 * when this succeeds. Until then it has another name; a failure leaves no file, and the next backup into the folder removes what a
 * killed one left. Fails with `TargetExists` when `target` exists, or has beside it the log of a database that is gone, and with
 * `StoreUnavailable`, also when the file is not of Lead Signals or is of a newer version. [STORE-8]
 */
export const backup = (
  filename: string,
  target: string,
  options: BackupOptions = {}
): Effect.Effect<Backup, StoreUnavailable | TargetExists> => Effect.scoped(madeIn(filename, target, options))
