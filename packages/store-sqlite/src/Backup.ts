/** A copy of the file as it is at one moment, made while others read and write it. */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Data, Effect, Exit } from "effect"
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs"
import { openDatabase } from "./Driver.ts"
import { unavailable } from "./Patience.ts"
import { syncFolderOf } from "./WriteAheadLog.ts"

/** There is a file where the copy is to be. */
export class TargetExists extends Data.TaggedError("TargetExists")<{ readonly target: string }> {}

export interface Backup {
  readonly pages: number
  readonly bytes: number
}

const pagesAtOnce = 2000

/**
 * Copies all pages under one read transaction: what is written meanwhile is not in it, and does not make it begin anew. The
 * copy is its owner's alone and on the disk when this succeeds; until then it has another name, and a failure leaves none.
 */
export const backup = (
  filename: string,
  target: string,
  onProgress: (fraction: number) => void = () => {}
): Effect.Effect<Backup, StoreUnavailable | TargetExists> =>
  Effect.gen(function* () {
    if (existsSync(target)) return yield* new TargetExists({ target })
    const partial = `${target}.partial`
    return yield* Effect.onExit(copyTo(filename, target, partial, onProgress), (exit) =>
      Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => rmSync(partial, { force: true }))
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
          rmSync(partial, { force: true })
          closeSync(openSync(partial, "wx", 0o600))
          return openDatabase(filename, { readonly: true, fileMustExist: true, timeout: 10_000 })
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
