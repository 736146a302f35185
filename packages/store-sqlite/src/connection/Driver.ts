/**
 * Opens SQLite files with better-sqlite3. Its native code ends the whole process on runtimes that are too old for it, so this
 * module checks the runtime first and fails with a reason.
 */
import BetterSqlite3 from "better-sqlite3"
import { statSync } from "node:fs"
import { cipherDriver } from "./CipherDriver.ts"
import { DatabaseProblem } from "./DatabaseProblem.ts"
import { type FileKey, keyProblem, useKey } from "./FileKey.ts"

type Versions = Readonly<Record<string, string | undefined>>

/** The least Node-API that better-sqlite3 13 runs on: Node 22.14, 23.6. */
const minNodeApi = 10
/** Bun before this one crashes when it loads the driver; Deno has run it since 2.0. */
const minBun = [1, 4, 1] as const

const isOlder = (version: string, min: ReadonlyArray<number>): boolean => {
  const parts = version.split(".").map((part) => Number.parseInt(part, 10))
  const i = min.findIndex((part, at) => parts[at] !== part)
  return i >= 0 && !((parts[i] ?? 0) > min[i]!)
}

const instead = "or use a store in memory, which runs anywhere"

/** Why the SQLite driver can't run on a runtime of these versions (`process.versions`), and what to do; null when it can. */
export const runtimeProblem = (versions: Versions): string | null => {
  const { bun, deno, napi, node } = versions
  if (bun !== undefined) {
    return isOlder(bun, minBun)
      ? `Bun ${bun} can't load better-sqlite3, the SQLite driver, and crashes when it tries; update Bun to ${minBun.join(".")} or newer, run this on Node 22.14 or newer, ${instead}`
      : null
  }
  // Deno reports an older Node-API than it has.
  if (deno !== undefined) return null
  return Number(napi ?? 0) < minNodeApi
    ? `Node ${node ?? "of an unknown version"} can't load better-sqlite3, the SQLite driver, which needs Node-API ${minNodeApi}; run this on Node 22.14 or newer, ${instead}`
    : null
}

const runtimeName = ({ bun, deno, node }: Versions): string => {
  if (bun !== undefined) return `Bun ${bun}`
  return deno === undefined ? `Node ${node}` : `Deno ${deno}`
}

/** SQLite's own failures have a code that begins with SQLITE_; any other comes from loading the driver. */
const isOfSqlite = (failure: unknown): boolean =>
  failure instanceof TypeError || String((failure as { code?: unknown }).code).startsWith("SQLITE_")

const loadingProblem = (failure: Error): string => {
  const runtime = `${runtimeName(process.versions)} on ${process.platform} ${process.arch}`
  return (failure as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND"
    ? `better-sqlite3, the SQLite driver, is not installed beside this program; run npm install better-sqlite3@13 in its folder, ${instead}`
    : `${runtime} can't load better-sqlite3, the SQLite driver (${failure.message.split("\n")[0]}); it ships binaries for Linux, ` +
        `macOS and Windows on x64 and arm64: install the packages again, run this on Node 22.14 or newer, ${instead}`
}

const cipherProblem = (failure: Error): string =>
  (failure as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND"
    ? "an encryption key is set, and better-sqlite3-multiple-ciphers, the SQLite driver that encrypts, is not installed beside this program; run npm install better-sqlite3-multiple-ciphers@13 in its folder"
    : `better-sqlite3-multiple-ciphers, the SQLite driver that encrypts, can't be loaded (${failure.message.split("\n")[0]})`

/** A connection without a key by the driver; `problemOf` says why that can't be loaded. */
const connection = (
  driver: () => typeof BetterSqlite3,
  problemOf: (failure: Error) => string,
  filename: string,
  options: BetterSqlite3.Options
): BetterSqlite3.Database => {
  const problem = runtimeProblem(process.versions)
  if (problem !== null) throw new DatabaseProblem(problem)
  try {
    return new (driver())(filename, options)
  } catch (failure) {
    if (isOfSqlite(failure)) throw failure
    throw new DatabaseProblem(problemOf(failure as Error), { cause: failure })
  }
}

/** Opens a file by the driver that encrypts, under the key; without one, a file that is not encrypted. Throws as `openDatabase`. */
export const openByCipherDriver = (
  filename: string,
  options: BetterSqlite3.Options,
  key: FileKey | undefined
): BetterSqlite3.Database => {
  const db = connection(cipherDriver, cipherProblem, filename, options)
  if (key !== undefined) useKey(db, key)
  return db
}

/**
 * Opens the file, which a `key` encrypts. Throws SQLite's error as it is, and a `DatabaseProblem` where the driver can't be loaded. All
 * connections of a process to one file must be of one driver: two would not see each other's locks.
 */
export const openDatabase = (
  filename: string,
  options: BetterSqlite3.Options,
  key: FileKey | undefined
): BetterSqlite3.Database =>
  key === undefined
    ? connection(() => BetterSqlite3, loadingProblem, filename, options)
    : openByCipherDriver(filename, options, key)

/** Loads the driver. Throws a `DatabaseProblem` where that fails, so that no file is made that nothing can use. */
export const loadDriver = (key: FileKey | undefined): void => {
  const open = key === undefined ? openDatabase : openByCipherDriver
  open(":memory:", {}, undefined).close()
}

/** Runs what reads a file first. Throws a `KeyProblem` where the file needs another key, or none. */
const readFirst = <A>(filename: string, key: FileKey | undefined, read: () => A): A => {
  try {
    return read()
  } catch (failure) {
    if ((failure as { code?: unknown }).code !== "SQLITE_NOTADB") throw failure
    throw keyProblem(filename, key) ?? failure
  }
}

const readSchema = (db: BetterSqlite3.Database): void =>
  void db.prepare("SELECT count(*) FROM sqlite_schema").get()

/**
 * Throws a `KeyProblem` where the file, which must exist, needs another key or none, and changes nothing of it. A connection that may
 * write would take the log of a file that it can't read for an empty one, and remove it.
 */
export const refuseOtherKey = (filename: string, key: FileKey | undefined): void => {
  try {
    readFirst(filename, key, () => {
      const db = openDatabase(filename, { readonly: true, fileMustExist: true, timeout: 50 }, key)
      try {
        readSchema(db)
      } finally {
        db.close()
      }
    })
  } catch (failure) {
    // The connection that follows meets any other failure, and waits for locks.
    if (failure instanceof DatabaseProblem) throw failure
  }
}

/** Whether the log has content, which a connection that may write checkpoints as it closes. */
const hasLog = (filename: string): boolean =>
  (statSync(`${filename}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0

/** The connection once `use` has read by it; closes it where that fails. */
const readable = (
  filename: string,
  key: FileKey | undefined,
  db: BetterSqlite3.Database,
  use: (db: BetterSqlite3.Database) => void
): BetterSqlite3.Database => {
  try {
    readFirst(filename, key, () => use(db))
    return db
  } catch (failure) {
    db.close()
    throw failure
  }
}

/**
 * Opens an existing file for reading, and leaves nothing beside it. A read-only connection makes the log that it needs and can't
 * remove it; one that may write removes it as the last to close the file, and `query_only` keeps it from writing.
 */
export const openToRead = (filename: string, key: FileKey | undefined): BetterSqlite3.Database => {
  const options = { fileMustExist: true, timeout: 10_000 }
  if (!hasLog(filename)) {
    try {
      return readable(filename, key, openDatabase(filename, options, key), (db) => {
        db.pragma("query_only = ON")
        readSchema(db)
      })
    } catch (failure) {
      // A file that this process may only read.
      if (!/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(String((failure as { code?: unknown }).code)))
        throw failure
    }
  }
  return readable(filename, key, openDatabase(filename, { ...options, readonly: true }, key), readSchema)
}
