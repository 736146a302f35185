/**
 * Files that backups and restores make under another name until they are whole. The name holds the process's id, by which a later one
 * in the folder sees that the process has ended. [STORE-8, REST-4]
 */
import { readdirSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Effect, type Scope } from "effect"

const endings = ["", "-journal", "-wal", "-shm", "-removals"]
const partialName = /\.(\d+)\.lead-signals-partial(?:-(?:journal|wal|shm|removals))?$/

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

const isLeft = (file: string): boolean => {
  const pid = partialName.exec(file)?.[1]
  if (pid === undefined) return false
  return Number(pid) === process.pid
    ? !underWay.has(file.replace(/-(?:journal|wal|shm|removals)$/, ""))
    : !isRunning(Number(pid))
}

/** Removes partial files of killed processes from the folder: they hold personal data that no erasure reaches. [PII-2] */
const removeLeft = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (isLeft(file)) rmSync(file, { force: true })
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

/** The partial name for `target`; the file goes with the scope unless it was renamed. Throws what the folder's files fail with. */
export const partialFile = (target: string): Effect.Effect<string, unknown, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const partial = `${resolve(target)}.${process.pid}.lead-signals-partial`
        removeLeft(dirname(partial))
        removeAll(partial)
        underWay.add(partial)
        return partial
      },
      catch: (failure) => failure
    }),
    (partial) =>
      Effect.sync(() => {
        removeAll(partial)
        underWay.delete(partial)
      })
  )
