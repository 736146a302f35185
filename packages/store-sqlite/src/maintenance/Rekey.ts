/**
 * Gives a file another encryption key, encrypts a plain one, or decrypts it. A copy under the new key takes the place of the file when it is
 * complete and on the disk: a kill leaves either the one or the other. [PII-4]
 */
import { type EncryptionKey, keyId, type SecretWrapper, wrapper } from "@lead-signals/encryption"
import type { StoreUnavailable } from "@lead-signals/domain"
import { giveOwnerOf } from "@lead-signals/removal-journal"
import type BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync } from "node:fs"
import { isBusy, unavailable } from "../connection/BusyRetry.ts"
import { DatabaseProblem } from "../connection/DatabaseProblem.ts"
import { openByCipherDriver, openDatabase, openToRead } from "../connection/Driver.ts"
import { DriverConnection } from "../connection/DriverConnection.ts"
import { changeKey, type FileKey, headerOf, KeyProblem } from "../connection/FileKey.ts"
import { encryptionOf, type EncryptionOptions, fileKeyOf } from "../connection/StoreEncryption.ts"
import { syncFolderOf } from "../connection/FolderSync.ts"
import { checkForeign, refuseNewer } from "../schema/Migrations.ts"
import { rewrap, wrappingKey } from "../rows/Secrets.ts"

/** The keys of `rekey`. */
export interface Rekeying {
  /** The key that the file has now; one that its encryption or its secrets do not need is ignored. */
  readonly current?: EncryptionKey | undefined
  /** What the file is to have; neither its pages nor its secrets are encrypted where this is undefined. */
  readonly target: EncryptionOptions | undefined
}

/** Whether `rekey` changed anything. */
export interface Rekeyed {
  /** False where the file had the target's encryption already, such as after a kill behind the last step. */
  readonly changed: boolean
}

const partialOf = (filename: string): string => `${filename}.lead-signals-rekey`

const inUse = (filename: string): DatabaseProblem =>
  new DatabaseProblem(`another process has ${filename} open: stop the servers on it`)

/** Returns the one of two keys that has the id. */
const keyWith = (id: string, { current, target }: Rekeying): EncryptionKey | undefined =>
  [current, target?.key].find((key) => key !== undefined && keyId(key) === id)

const otherKey = (what: string, id: string, { current }: Rekeying): KeyProblem =>
  new KeyProblem(
    `${what} under the encryption key with the id ${id}, and ${
      current === undefined ? "no encryption key is set" : `the key that is set has the id ${keyId(current)}`
    }`
  )

/** The key that encrypts the file now; undefined for a plain file. */
const fileKeyNow = (filename: string, keys: Rekeying): FileKey | undefined => {
  const header = headerOf(filename)
  if (header === "other") throw new DatabaseProblem(`${filename} is damaged or is not a SQLite file`)
  if (header === "plain") return undefined
  const key = keyWith(header.keyId, keys)
  if (key === undefined) throw otherKey(`${filename} is encrypted`, header.keyId, keys)
  return fileKeyOf(key)
}

const hasTable = (sql: DriverConnection, name: string): boolean =>
  sql.value("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", [name]) !== undefined

/** Fails on a file of another program or of a newer version, whose secrets may be elsewhere, and on one that needs another key. [STORE-4] */
const refuseUnknown = (filename: string, key: FileKey | undefined): void => {
  let db: BetterSqlite3.Database | undefined
  try {
    db = openToRead(filename, key)
    const sql = db
    const value = <Value>(text: string) => sql.prepare(text).pluck().get() as Value | undefined
    checkForeign({ value }, filename)
    if (value("SELECT 1 FROM sqlite_schema WHERE name = 'migration'") === undefined) return
    refuseNewer(value<number | null>("SELECT max(migration_id) FROM migration") ?? 0, filename)
  } catch (failure) {
    throw isBusy(failure) ? inUse(filename) : failure
  } finally {
    db?.close()
  }
}

/** The wrapper of the secrets as they are; undefined where they are plain. */
const wrapperNow = (sql: DriverConnection, filename: string, keys: Rekeying): SecretWrapper | undefined => {
  const id = wrappingKey(sql)
  if (id === null) return undefined
  const key = keyWith(id, keys)
  if (key === undefined) throw otherKey(`${filename} keeps its secrets wrapped`, id, keys)
  return wrapper(key)
}

/** Rewraps the secrets. An older file has plain ones, which the next start wraps. Returns whether there was anything to do. */
const rewrapSecrets = (filename: string, key: FileKey | undefined, keys: Rekeying): boolean => {
  const { secrets: to } = encryptionOf(keys.target)
  const sql = new DriverConnection(filename, { readonly: false, busyMillis: 3000, key })
  try {
    sql.pragma("secure_delete = ON")
    sql.pragma("synchronous = FULL")
    if (!hasTable(sql, "secret_wrapping")) return false
    const from = wrapperNow(sql, filename, keys)
    if (from?.keyId === to?.keyId) return false
    sql.transaction(() => rewrap(sql, from, to))
    sql.get("PRAGMA wal_checkpoint(TRUNCATE)")
    return true
  } finally {
    sql.close()
  }
}

/** Takes the file for this process alone, with all of its log in it, until the connection closes. */
const takeAlone = (db: BetterSqlite3.Database, filename: string): void => {
  try {
    db.pragma("wal_checkpoint(TRUNCATE)")
    // Only the last connection can leave the write-ahead log.
    if (db.pragma("journal_mode = DELETE", { simple: true }) !== "delete") throw inUse(filename)
    db.pragma("locking_mode = EXCLUSIVE")
    db.exec("BEGIN EXCLUSIVE")
    db.exec("COMMIT")
  } catch (failure) {
    throw isBusy(failure) ? inUse(filename) : failure
  }
}

const tablesOf = (db: BetterSqlite3.Database): ReadonlyArray<string> =>
  db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
    )
    .pluck()
    .all() as Array<string>

/** Fails where the copy is damaged, or a table of it has more rows or fewer. */
const compare = (source: BetterSqlite3.Database, copy: BetterSqlite3.Database, filename: string): void => {
  const rows = (db: BetterSqlite3.Database): string =>
    JSON.stringify(
      tablesOf(db).map((name) => [name, db.prepare(`SELECT count(*) FROM "${name}"`).pluck().get()])
    )
  const isSound = copy.pragma("quick_check(1)", { simple: true }) === "ok" && rows(source) === rows(copy)
  if (!isSound) throw new DatabaseProblem(`the copy of ${filename} differs from it; the file is as it was`)
}

const syncFile = (filename: string): void => {
  const fd = openSync(filename, "r+")
  fsyncSync(fd)
  closeSync(fd)
}

/** Replaces the file by a copy under the other key. */
const replace = (
  filename: string,
  from: FileKey | undefined,
  keys: Rekeying,
  onProgress: (fraction: number, what: string) => void
): void => {
  const to = encryptionOf(keys.target).fileKey
  const partial = partialOf(filename)
  const remove = (): void => {
    for (const ending of ["", "-journal"]) rmSync(partial + ending, { force: true })
  }
  const source = openByCipherDriver(filename, { fileMustExist: true, timeout: 50 }, from)
  try {
    takeAlone(source, filename)
    onProgress(0.05, "copying")
    remove()
    closeSync(openSync(partial, "wx", 0o600))
    source.pragma("temp_store = MEMORY")
    source.prepare("VACUUM INTO ?").run(partial)
    onProgress(0.4, to === undefined ? "decrypting" : "encrypting")
    const copy = openByCipherDriver(partial, {}, from)
    try {
      // Nobody needs the copy before it is complete.
      copy.pragma("journal_mode = OFF")
      copy.pragma("synchronous = OFF")
      changeKey(copy, to)
    } finally {
      copy.close()
    }
    onProgress(0.75, "wrapping secrets")
    rewrapSecrets(partial, to, keys)
    onProgress(0.8, "comparing")
    const written = openDatabase(partial, { readonly: true }, to)
    try {
      compare(source, written, filename)
    } finally {
      written.close()
    }
    giveOwnerOf(filename, partial)
    syncFile(partial)
    renameSync(partial, filename)
    syncFolderOf(filename)
    // Rate windows under the other key; they begin afresh.
    for (const ending of ["-limits", "-limits-wal", "-limits-shm"]) rmSync(filename + ending, { force: true })
    onProgress(1, "done")
  } finally {
    source.close()
    remove()
  }
}

/**
 * Brings the file to the target's encryption: pages, and the secrets in it. No other process may have the file open, nor this one. It needs
 * as much room again as the file has, and blocks this thread. `onProgress` gets the fraction done, from 0 to 1, and the step. A kill at any
 * point leaves the file as it was or as it is to be, and perhaps `FILE.lead-signals-rekey`, which the next call removes. Fails with
 * `StoreUnavailable`, with a reason, when the file is in use, missing, damaged or of a newer version, or neither key is that of the file. [PII-4, STORE-4]
 */
export const rekey = (
  path: string,
  keys: Rekeying,
  onProgress: (fraction: number, what: string) => void = () => {}
): Effect.Effect<Rekeyed, StoreUnavailable> =>
  Effect.try({
    try: () => {
      const filename = realpathSync(path)
      const from = fileKeyNow(filename, keys)
      const to = encryptionOf(keys.target).fileKey
      rmSync(partialOf(filename), { force: true })
      refuseUnknown(filename, from)
      if (from?.id !== to?.id) {
        replace(filename, from, keys, onProgress)
        return { changed: true }
      }
      return { changed: rewrapSecrets(filename, from, keys) }
    },
    catch: unavailable
  })
