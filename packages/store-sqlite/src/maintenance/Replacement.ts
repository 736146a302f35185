/** Puts a whole file in the place of a database that no process has open. At each instant one of the two is there. [REST-4] */
import {
  copyFileSync,
  existsSync,
  fsyncSync,
  closeSync,
  linkSync,
  openSync,
  renameSync,
  rmSync
} from "node:fs"
import { dirname } from "node:path"
import { giveOwnerOf, RestoreRefused } from "@lead-signals/removal-journal"
import { isBusy } from "../connection/BusyRetry.ts"
import { DriverConnection } from "../connection/DriverConnection.ts"
import { type FileKey, keyProblem } from "../connection/FileKey.ts"
import { syncFolderOf } from "../connection/FolderSync.ts"
import { renameToNew } from "./Backup.ts"
import { logFileEndings, logsLeftAt } from "./LeftLogs.ts"

const lockWaitMillis = 500

/** The database at the target, kept from all other processes. */
export interface HeldDatabase {
  /** Null of a file that SQLite can't read. */
  readonly sql: DriverConnection | null
  readonly release: () => void
}

const inUse = (target: string) =>
  new RestoreRefused({
    reason: `a server or another process has ${target} open: stop it first`
  })

const isUnreadable = (failure: unknown): boolean =>
  /^SQLITE_(NOTADB|CORRUPT)/.test(String((failure as { code?: unknown }).code))

/**
 * Locks the database, with its log taken over into the file. Other processes wait for the lock, and then find that the file was replaced.
 * Throws a `RestoreRefused` when a process has it open, and a `KeyProblem` where it needs another key.
 */
export const hold = (target: string, key: FileKey | undefined): HeldDatabase => {
  // A connection without the key would take the log of an encrypted file for an empty one.
  const problem = keyProblem(target, key)
  if (problem !== null) throw problem
  const sql = new DriverConnection(target, { readonly: false, busyMillis: lockWaitMillis, key })
  try {
    sql.pragma("locking_mode = EXCLUSIVE")
    // Without a log of its own no file beside it has to be replaced in the same instant.
    if (sql.value<string>("PRAGMA journal_mode = DELETE") !== "delete") throw inUse(target)
    sql.run("BEGIN EXCLUSIVE")
  } catch (failure) {
    sql.close()
    if (isBusy(failure)) throw inUse(target)
    if (isUnreadable(failure)) return { sql: null, release: () => {} }
    throw failure
  }
  return {
    sql,
    release: () => {
      if (sql.isInTransaction) sql.run("ROLLBACK")
      sql.close()
    }
  }
}

const instant = (now: number): string => new Date(now).toISOString().replaceAll(/[:.]/g, "-")

/** A second name for the file, or a copy where the file system has no second names. */
const keepReplaced = (file: string, replacedAs: string): void => {
  try {
    linkSync(file, replacedAs)
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === "EEXIST") throw failure
    copyFileSync(file, replacedAs)
    const fd = openSync(replacedAs, "r+")
    fsyncSync(fd)
    closeSync(fd)
  }
}

/** The new names of the files that were put aside. */
interface PutAside {
  /** That of the database; null where there was none. */
  readonly replacedAs: string | null
  /** Those of logs whose database was gone. */
  readonly logs: ReadonlyArray<string>
}

/** Gives the logs beside the target new names, and removes the index of the write-ahead log. Returns the new names. */
const putLogsAside = (target: string, replacedAs: string): ReadonlyArray<string> => {
  const kept = logsLeftAt(target).map((log) => {
    const name = replacedAs + log.slice(target.length)
    keepReplaced(log, name)
    return name
  })
  for (const ending of logFileEndings) rmSync(target + ending, { force: true })
  return kept
}

/**
 * Puts `whole` in the place of `target`, and puts aside what was there. A kill leaves `target` as it was or replaced, and nothing to repair.
 */
export const putInPlace = (whole: string, target: string, now: number): PutAside => {
  const isThere = existsSync(target)
  giveOwnerOf(isThere ? target : dirname(target), whole)
  const replacedAs = `${target}.replaced-${instant(now)}`
  if (isThere) keepReplaced(target, replacedAs)
  const logs = putLogsAside(target, replacedAs)
  syncFolderOf(target)
  if (!isThere) {
    renameToNew(whole, target)
    return { replacedAs: null, logs }
  }
  renameSync(whole, target)
  syncFolderOf(target)
  for (const ending of ["-limits", "-limits-wal", "-limits-shm"]) rmSync(target + ending, { force: true })
  return { replacedAs, logs: [] }
}
