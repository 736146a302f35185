/** Makes a backup the database again, without bringing back what was removed since. [REST-3, REST-4] */
import { StoreUnavailable } from "@lead-signals/domain"
import {
  type FoundRemovals,
  type RemovalHistory,
  type ReplayedByKind,
  RestoreRefused
} from "@lead-signals/removal-journal"
import { Clock, Effect, type Scope } from "effect"
import { randomBytes } from "node:crypto"
import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { unavailable } from "../connection/BusyRetry.ts"
import { openToRead } from "../connection/Driver.ts"
import { DriverConnection } from "../connection/DriverConnection.ts"
import { pragmasOf } from "../connection/FileConnection.ts"
import type { FileKey } from "../connection/FileKey.ts"
import { syncFile } from "../connection/FolderSync.ts"
import { encryptionOf, type EncryptionOptions } from "../connection/StoreEncryption.ts"
import { schemaVersion } from "../connection/VerifyCopy.ts"
import { headerOf, newestPosition, removalsAfter } from "../journal/RemovalRows.ts"
import { Secrets } from "../rows/Secrets.ts"
import { migrate, newestMigration } from "../schema/Migrations.ts"
import { copyFile } from "./Backup.ts"
import { check, type Checked } from "./Check.ts"
import { beginChangeEpoch } from "./ChangeEpoch.ts"
import { findRemovalsOf, type JournalOptions } from "./FindJournal.ts"
import { logsLeftAt } from "./LeftLogs.ts"
import { partialFile, removeSideFiles } from "./PartialFiles.ts"
import { hold, putInPlace } from "./Replacement.ts"
import { replay } from "./Replay.ts"

/** Which backup becomes which database, and what a restore may do to get there. */
export interface RestoreOptions extends JournalOptions {
  /** The backup, which stays as it is. */
  readonly file: string
  /** The path of the database. */
  readonly target: string
  /** Whether a database at the target may be replaced; it is kept under another name. */
  readonly replace: boolean
  /** Does all of it on a copy, and leaves the target as it is. */
  readonly dryRun: boolean
  /** That of the backup and of the database: a restore neither encrypts nor decrypts. */
  readonly encryption?: EncryptionOptions | undefined
  /** Gets the fraction done, from 0 to 1, and the step. */
  readonly onProgress?: (fraction: number, what: string) => void
}

/** What a restore did. */
export interface Restored {
  /** The schema version of the backup. */
  readonly fromVersion: number
  /** The schema version of the restored database, which is this program's. */
  readonly version: number
  /** The name under which the replaced database is kept; null where there was none. */
  readonly replacedAs: string | null
  /** The journal of removals that was read; null where the replaced database had all of it, or none was asked for. */
  readonly journal: string | null
  /** What was erased, revoked and deleted again. */
  readonly replayed: ReplayedByKind
  /** Deliveries that wait in the restored database: those that arrived since the backup are sent again. */
  readonly pendingDeliveries: number
  /** What may be missing, in sentences for the operator. */
  readonly warnings: ReadonlyArray<string>
  /** Rows of the restored database by kind, as `check` counts them. */
  readonly counts: Checked["counts"]
}

const refuse = (reason: string) => new RestoreRefused({ reason })

const problemOf = (failure: unknown): RestoreRefused | StoreUnavailable =>
  failure instanceof RestoreRefused ? failure : unavailable(failure)

const attempt = <A>(work: () => A): Effect.Effect<A, RestoreRefused | StoreUnavailable> =>
  Effect.try({ try: work, catch: problemOf })

/** How far the file is in the history of its removals. */
const positionOf = (sql: DriverConnection): RemovalHistory => {
  const hasJournal = sql.value("SELECT 1 FROM sqlite_schema WHERE name = 'removal_journal'") !== undefined
  const header = hasJournal ? headerOf(sql) : null
  return header === null || header.databaseId === ""
    ? { header: null, newest: 0, removals: [] }
    : { header, newest: newestPosition(sql), removals: removalsAfter(sql, header.dropped) }
}

type Numbers = ReadonlyMap<string, number>

const numbersOf = (sql: DriverConnection): Numbers =>
  new Map(sql.tuples<[string, number]>("SELECT name, seq FROM sqlite_sequence"))

/** Numbers that the replaced database has given are given to nothing else, and nobody goes on after an event that is lost. */
const skipNumbers = (sql: DriverConnection, given: Numbers): void => {
  for (const [name, seq] of given) {
    if (name === "removal") continue
    const own = sql.value<number>("SELECT seq FROM sqlite_sequence WHERE name = ?", [name])
    if (own === undefined) {
      if (sql.value("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", [name]) !== undefined)
        sql.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [name, seq])
    } else if (own < seq) sql.run("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", [seq, name])
  }
  sql.run("UPDATE pruning SET newest_event = max(newest_event, ?) WHERE id = 1", [given.get("event") ?? 0])
}

/** The copy's own removals and those that were replayed are its history from here on. */
const continueJournal = (
  sql: DriverConnection,
  copy: RemovalHistory,
  found: FoundRemovals,
  now: number
): void => {
  const all = [...copy.removals, ...found.removals]
  const newest = all.at(-1)?.position ?? Math.max(copy.newest, found.dropped)
  sql.run("DELETE FROM removal")
  sql.runPerRow(
    "INSERT INTO removal (position, at, kind, brand_id, subject) VALUES (?, ?, ?, ?, ?)",
    all.map(({ at, brandId, kind, position, subject }) => [position, at, kind, brandId, subject])
  )
  sql.run("DELETE FROM sqlite_sequence WHERE name = 'removal'")
  sql.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('removal', ?)", [newest])
  const [first] = all
  sql.run("UPDATE removal_journal SET database_id = ?, began_at = ?, dropped = ? WHERE id = 1", [
    found.databaseId ?? randomBytes(16).toString("hex"),
    found.databaseId === null ? now : found.beganAt,
    first === undefined ? newest : first.position - 1
  ])
}

/** A connection to a file of which no other process knows. */
const openPartial = (
  partial: string,
  key: FileKey | undefined
): Effect.Effect<DriverConnection, StoreUnavailable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const sql = new DriverConnection(partial, { readonly: false, busyMillis: 1000, key })
        sql.pragma("journal_mode = DELETE")
        for (const pragma of pragmasOf("OFF")) sql.pragma(pragma)
        return sql
      },
      catch: unavailable
    }),
    (sql) => Effect.sync(() => sql.close())
  )

const soundness = (
  file: string,
  encryption: EncryptionOptions | undefined,
  onProgress: (fraction: number, what: string) => void
) =>
  Effect.flatMap(check(file, onProgress, encryption), (checked) =>
    checked.problems.length === 0
      ? Effect.succeed(checked)
      : Effect.fail(refuse(`${file} is damaged: ${checked.problems[0]}`))
  )

const inspected = (
  file: string,
  key: FileKey | undefined
): Effect.Effect<number, RestoreRefused | StoreUnavailable> =>
  attempt(() => {
    const db = openToRead(file, key)
    try {
      return schemaVersion((text) => db.prepare(text).pluck().get(), file)
    } finally {
      db.close()
    }
  })

/** The bound on symbolic links that are followed: a longer chain is taken for a cycle. */
const maxLinks = 40

/** Follows symbolic links, also to a file that is gone: SQLite and the store keep their files beside the file itself. */
const withoutLinks = (path: string, links = 0): string => {
  if (existsSync(path)) return realpathSync(path)
  return links < maxLinks && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
    ? withoutLinks(resolve(realpathSync(dirname(path)), readlinkSync(path)), links + 1)
    : path
}

/** The database at the target; released when the scope ends. */
const held = (target: string, key: FileKey | undefined) =>
  existsSync(target)
    ? Effect.acquireRelease(
        attempt(() => hold(target, key)),
        ({ release }) => Effect.sync(release)
      )
    : Effect.succeed(null)

/**
 * Restores a backup: copies it, checks the copy, migrates it, replays on it what was removed after it was made, checks it again, and only
 * then puts it in the place of the target. A kill at any instant leaves the target whole, as it was or restored; the same call begins
 * again. Fails with `RestoreRefused` where it would lose or bring back something, and with `StoreUnavailable`. [REST-3, REST-4]
 */
export const restore = (
  options: RestoreOptions
): Effect.Effect<Restored, RestoreRefused | StoreUnavailable> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { dryRun, encryption, file, onProgress = () => {}, replace } = options
      const { fileKey: key, secrets } = encryptionOf(encryption)
      const target = yield* attempt(() => withoutLinks(options.target))
      if (!existsSync(file)) return yield* refuse(`there is no file ${file}`)
      const fromVersion = yield* inspected(file, key)
      if (fromVersion > newestMigration) {
        return yield* refuse(
          `${file} has schema version ${fromVersion} and this program has ${newestMigration}: restore it with the version that made it, or a newer one`
        )
      }
      if (existsSync(target) && !replace && !dryRun && statSync(target).size > 0) {
        return yield* refuse(
          `there is a database at ${target}: --replace restores over it, and keeps it under another name`
        )
      }
      const wasThere = existsSync(target)
      const log = yield* attempt(() => logBesideEmpty(target))
      if (log !== null) {
        return yield* refuse(
          `${target} is empty, and to open it would remove ${log}, the log of a database that is gone: remove the empty file`
        )
      }
      // A server that runs is found before the work begins.
      if (wasThere) yield* Effect.scoped(held(target, key))
      yield* soundness(file, encryption, (fraction, what) =>
        onProgress(fraction * 0.2, `checking the copy: ${what}`)
      )
      const partial = yield* Effect.mapError(partialFile(target), unavailable)
      yield* copyFile(file, partial, {
        encryption,
        onProgress: (part) => onProgress(0.2 + part * 0.2, "copying")
      })
      const current = yield* held(target, key)
      if (!wasThere && current !== null) return yield* refuse(madeMeanwhile(target))
      const now = yield* Clock.currentTimeMillis
      const { found, pendingDeliveries, replayed } = yield* Effect.scoped(
        Effect.flatMap(openPartial(partial, key), (sql) =>
          attempt(() => {
            const copy = positionOf(sql)
            const replaced = replacedBy(current?.sql ?? null)
            const removals = findRemovalsOf(target, copy, replaced?.position ?? null, options)
            sql.transaction(() =>
              migrate(sql, partial, ({ doing, fraction }) => onProgress(0.4 + fraction * 0.2, doing))
            )
            onProgress(0.6, "replaying what was removed")
            const done = replay(sql, new Secrets(secrets), removals.removals, now)
            sql.transaction(() => {
              continueJournal(sql, copy, removals, now)
              if (replaced !== null) skipNumbers(sql, replaced.numbers)
              // Readers of changes may know more than the backup has: they begin anew. [CHG-5]
              beginChangeEpoch(sql)
            })
            const pending = sql.value<number>("SELECT count(*) FROM delivery WHERE state = 'pending'")!
            return { found: removals, replayed: done, pendingDeliveries: pending }
          })
        )
      )
      const { counts } = yield* soundness(partial, encryption, (fraction, what) =>
        onProgress(0.7 + fraction * 0.3, `checking the result: ${what}`)
      )
      const { logs, replacedAs } = yield* attempt(() => {
        removeSideFiles(partial)
        syncFile(partial)
        if (dryRun) return { replacedAs: null, logs: [] }
        // A database that was made since is neither inspected nor locked.
        if (current === null && existsSync(target)) throw refuse(madeMeanwhile(target))
        return putInPlace(partial, target, now)
      })
      const { file: journal } = found
      const warnings = [...found.warnings, ...logs.map(leftLog)]
      const version = newestMigration
      return { fromVersion, version, replacedAs, journal, replayed, pendingDeliveries, warnings, counts }
    })
  )

/** A log that SQLite would remove as it opens the file, which is empty; null where there is none. */
const logBesideEmpty = (target: string): string | null =>
  existsSync(target) && statSync(target).size === 0 ? (logsLeftAt(target)[0] ?? null) : null

const madeMeanwhile = (target: string): string =>
  `a database was made at ${target} meanwhile: stop what made it, and restore again`

const leftLog = (log: string): string =>
  `A database that is gone had left its log there. It is kept as ${log}, and holds personal data: move it to its database, or delete it.`

/** What the replaced database says that the copy should go by; null where it is not one of ours, or can't be read. */
const replacedBy = (
  sql: DriverConnection | null
): { readonly position: RemovalHistory; readonly numbers: Numbers } | null => {
  if (sql === null) return null
  try {
    schemaVersion((text) => sql.value(text), "the database")
    return { position: positionOf(sql), numbers: numbersOf(sql) }
  } catch {
    return null
  }
}
