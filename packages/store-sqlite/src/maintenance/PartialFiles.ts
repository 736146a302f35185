/**
 * Files that backups and restores make under another name until they are whole. A lock beside each says that somebody still makes it: a
 * process that ends loses the lock, and one of another container on the volume, whose id says nothing here, is seen by it. [STORE-8, REST-4]
 */
import { randomBytes } from "node:crypto"
import { closeSync, existsSync, openSync, readdirSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Effect, type Scope } from "effect"
import type { DriverConnection } from "../connection/DriverConnection.ts"
import { isBusy } from "../connection/BusyRetry.ts"
import { isRemoved, lockFile } from "./ExclusiveLock.ts"

const endings = ["", "-journal", "-wal", "-shm", "-removals"]
const lockEnding = "-lock"
/** Random, or of earlier versions the process's id. */
const partialName =
  /^(.*\.(?:[0-9a-f]{16}|(\d{1,10}))\.lead-signals-partial)(?:-(?:journal|wal|shm|removals|lock))?$/

/** Partial files that this process is making. */
const underWay = new Set<string>()

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (failure) {
    // The process belongs to another user.
    return (failure as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Removes what SQLite made beside a partial file, once no connection has it open. */
export const removeSideFiles = (partial: string): void => {
  for (const ending of endings.slice(1)) rmSync(partial + ending, { force: true })
}

const removeAll = (partial: string): void => {
  removeSideFiles(partial)
  rmSync(partial, { force: true })
}

/** Removes the partial file unless somebody has its lock. */
const removeUnlocked = (partial: string): void => {
  const file = partial + lockEnding
  let lock: DriverConnection
  try {
    lock = lockFile(file)
  } catch {
    return
  }
  try {
    removeAll(partial)
    // While it is locked: who waited for it sees that it is gone.
    rmSync(file, { force: true })
  } finally {
    lock.close()
  }
}

/** Removes partial files of killed processes from the folder: they hold personal data that no erasure reaches. [PII-2] */
const removeLeft = (folder: string): void => {
  const found = new Map<string, string | undefined>()
  for (const name of readdirSync(folder)) {
    const [, partial, pid] = partialName.exec(name) ?? []
    if (partial !== undefined) found.set(join(folder, partial), pid)
  }
  for (const [partial, pid] of found) {
    if (underWay.has(partial)) continue
    if (pid === undefined) removeUnlocked(partial)
    else if (!isRunning(Number(pid))) removeAll(partial)
  }
}

interface LockedPartial {
  readonly partial: string
  readonly lock: DriverConnection
}

/** A new name for the target, and its lock, which is there before the file. */
const locked = (target: string): LockedPartial => {
  for (;;) {
    const partial = `${resolve(target)}.${randomBytes(8).toString("hex")}.lead-signals-partial`
    const file = partial + lockEnding
    let isLocked = false
    underWay.add(partial)
    try {
      closeSync(openSync(file, "wx", 0o600))
      const lock = lockFile(file)
      // Another process may have taken the new lock for one that was left, and removed it.
      isLocked = existsSync(file)
      if (isLocked) return { partial, lock }
      lock.close()
    } catch (failure) {
      rmSync(file, { force: true })
      if (!isBusy(failure) && !isRemoved(failure)) throw failure
    } finally {
      if (!isLocked) underWay.delete(partial)
    }
  }
}

/** The partial name for `target`; the file goes with the scope unless it was renamed. Throws what the folder's files fail with. */
export const partialFile = (target: string): Effect.Effect<string, unknown, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.try({
        try: () => {
          removeLeft(dirname(resolve(target)))
          return locked(target)
        },
        catch: (failure) => failure
      }),
      ({ lock, partial }) =>
        Effect.sync(() => {
          removeAll(partial)
          rmSync(partial + lockEnding, { force: true })
          lock.close()
          underWay.delete(partial)
        })
    ),
    ({ partial }) => partial
  )
