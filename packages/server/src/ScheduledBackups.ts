/**
 * Backups that the server makes by itself, of its SQLite file: at an interval, beside requests, and as many as are to be kept. Several
 * servers on one file make one. [REST-6]
 */
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Clock, Data, Effect } from "effect"
import { existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { basename, extname, join } from "node:path"
import type { BackupSettings } from "./BackupSettings.ts"

/** A backup of the folder, by its name. */
interface KeptBackup {
  readonly file: string
  /** When it was made, to the second. */
  readonly madeAt: number
}

/** A backup that could not be made, for the log. */
class BackupFailed extends Data.TaggedError("BackupFailed")<{ readonly reason: string }> {}

/** A backup that was made and opened. */
interface MadeBackup extends KeptBackup {
  readonly bytes: number
  readonly tookMillis: number
}

/** What is backed up, and how. */
export interface BackedUp {
  readonly settings: BackupSettings
  /** The path of the file. */
  readonly database: string
  /** That of the file; its backups have it, too. */
  readonly encryption: SqliteStore.EncryptionOptions | undefined
}

/** Hears of backups, and of those that failed. */
export interface BackupObserver {
  readonly onMade: (made: Pick<MadeBackup, "madeAt" | "bytes" | "tookMillis">) => void
  /** At each look, with the newest backup that counts; null where all that are there are dated in the future. */
  readonly onNewest: (newest: { readonly madeAt: number; readonly bytes: number } | null) => void
  readonly onFailed: () => void
}

/** A failure is tried again after so long, or after the interval where that is shorter. */
const retryMillis = 5 * 60_000

const stemOf = (database: string): string => basename(database, extname(database))

const nameOf = (database: string, now: number): string =>
  `${stemOf(database)}-${new Date(now).toISOString().slice(0, 19).replaceAll(":", "-")}Z.sqlite`

const instantOf = (database: string, name: string): number | null => {
  const stem = `${stemOf(database)}-`
  if (!name.startsWith(stem)) return null
  const [, day, hours, minutes, seconds] =
    /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.sqlite$/.exec(name.slice(stem.length)) ?? []
  const at = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`)
  return Number.isNaN(at) ? null : at
}

/** Clocks of servers on one file may differ by so much: what is dated further ahead was made while a clock was wrong. */
const maxAheadMillis = 60_000

interface KeptBackups {
  /** Newest first. */
  readonly dated: ReadonlyArray<KeptBackup>
  /** Those that are dated in the future. Nobody knows when they were made: they count for no schedule, and are removed first. */
  readonly ahead: ReadonlyArray<KeptBackup>
}

/** The backups of the database in the folder. Throws where the folder can't be read. */
const keptBackups = (folder: string, database: string, now: number): KeptBackups => {
  const kept = readdirSync(folder)
    .flatMap((name) => {
      const madeAt = instantOf(database, name)
      return madeAt === null ? [] : [{ file: join(folder, name), madeAt }]
    })
    .sort((one, other) => other.madeAt - one.madeAt)
  const isAhead = ({ madeAt }: KeptBackup): boolean => madeAt > now + maxAheadMillis
  return { dated: kept.filter((backup) => !isAhead(backup)), ahead: kept.filter(isAhead) }
}

const inFolder = (folder: string, database: string, now: number): Effect.Effect<KeptBackups, BackupFailed> =>
  Effect.try({
    try: () => keptBackups(folder, database, now),
    catch: (failure) =>
      new BackupFailed({
        reason: existsSync(folder)
          ? `the folder ${folder} can't be read (${(failure as NodeJS.ErrnoException).code ?? "unknown"})`
          : `there is no folder ${folder}`
      })
  })

/** Milliseconds until the next backup is due. */
const untilDue = ({ dated: [newest] }: KeptBackups, intervalMillis: number, now: number): number =>
  newest === undefined ? 0 : Math.max(0, Math.min(newest.madeAt, now) + intervalMillis - now)

/** Removes what exceeds the number that is kept: the backups dated in the future, then the oldest. */
const removeOldest = ({ copies, folder }: BackupSettings, database: string, now: number): void => {
  const { ahead, dated } = keptBackups(folder, database, now)
  for (const { file } of [...dated, ...ahead].slice(copies)) rmSync(file, { force: true })
}

/** Makes a backup unless another process has made it meanwhile, which answers null. */
const make = ({ database, encryption, settings }: BackedUp): Effect.Effect<MadeBackup | null, BackupFailed> =>
  Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const kept = yield* inFolder(settings.folder, database, startedAt)
    if (untilDue(kept, settings.intervalMillis, startedAt) > 0) return null
    const file = join(settings.folder, nameOf(database, startedAt))
    const { bytes } = yield* SqliteStore.backup(database, file, { encryption })
    removeOldest(settings, database, startedAt)
    const endedAt = yield* Clock.currentTimeMillis
    return { file, bytes, madeAt: startedAt, tookMillis: endedAt - startedAt }
  }).pipe(
    Effect.catchTags({
      TargetExists: () => Effect.succeed(null),
      "@lead-signals/domain/StoreUnavailable": ({ reason }) => new BackupFailed({ reason })
    })
  )

const newestBackup = ({ file, madeAt }: KeptBackup, now: number) => ({
  madeAt: Math.min(madeAt, now),
  bytes: statSync(file, { throwIfNoEntry: false })?.size ?? 0
})

/** Makes the backup that is due, if any, and answers after how many milliseconds to look again. */
const round = (backedUp: BackedUp, { onFailed, onMade, onNewest }: BackupObserver, warned: Set<string>) =>
  Effect.gen(function* () {
    const { database, settings } = backedUp
    const { folder, intervalMillis } = settings
    const now = yield* Clock.currentTimeMillis
    const kept = yield* inFolder(folder, database, now)
    const [newest] = kept.dated
    // Also after a restart, and where another server made it, so that no alarm is raised of a backup that is there.
    if (newest !== undefined) onNewest(newestBackup(newest, now))
    else if (kept.ahead.length > 0) onNewest(null)
    for (const { file } of kept.ahead) {
      if (warned.has(file)) continue
      warned.add(file)
      yield* Effect.logWarning("backup dated in the future", { file })
    }
    const due = untilDue(kept, intervalMillis, now)
    if (due > 0) return due
    const made = yield* SqliteStore.exclusively(`${database}-backup`, make(backedUp)).pipe(
      Effect.catchTag("@lead-signals/domain/StoreUnavailable", ({ reason }) => new BackupFailed({ reason }))
    )
    if (made !== null) {
      onMade(made)
      yield* Effect.logInfo("backup made", {
        file: made.file,
        bytes: made.bytes,
        durationMillis: made.tookMillis
      })
    }
    return 1000
  }).pipe(
    Effect.catchTag("BackupFailed", ({ reason }) =>
      Effect.as(
        Effect.logError("backup failed", { reason }).pipe(Effect.tap(() => Effect.sync(onFailed))),
        Math.min(retryMillis, backedUp.settings.intervalMillis)
      )
    )
  )

/** A longer interval is waited for in parts: a clock that is set is noticed within the time. */
const maxWaitMillis = 10 * 60_000

/** Makes backups for ever. */
export const makeBackups = (backedUp: BackedUp, observer: BackupObserver): Effect.Effect<never> =>
  Effect.suspend(() => {
    const warned = new Set<string>()
    return Effect.forever(
      Effect.flatMap(round(backedUp, observer, warned), (millis) =>
        Effect.sleep(Math.min(millis, maxWaitMillis))
      )
    )
  })
