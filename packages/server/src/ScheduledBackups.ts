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
  /** Whether the folder has such of another database, too: they count for nothing here, and stay. */
  readonly hasForeign: boolean
}

/** Tells the backups of another database, whose file has the same name in another folder. Each is opened once. */
type IsForeign = (file: string) => boolean

/** A backup that can't be opened, such as one under an earlier key, counts as the database's own. */
const foreignBackups = ({ database, encryption }: BackedUp): IsForeign => {
  const found = new Map<string, boolean>()
  let own: string | null = null
  return (file) => {
    own ??= SqliteStore.databaseIdOf(database, encryption)
    const known = found.get(file)
    if (known !== undefined) return known
    const id = own === null ? null : SqliteStore.databaseIdOf(file, encryption)
    const isForeign = id !== null && id !== own
    if (own !== null) found.set(file, isForeign)
    return isForeign
  }
}

/** A database whose backups are made, with what tells them from those of others. */
interface Judged extends BackedUp {
  readonly isForeign: IsForeign
}

/** The backups of the database in the folder. Throws where the folder can't be read. */
const keptBackups = ({ database, isForeign, settings: { folder } }: Judged, now: number): KeptBackups => {
  const named = readdirSync(folder).flatMap((name) => {
    const madeAt = instantOf(database, name)
    return madeAt === null ? [] : [{ file: join(folder, name), madeAt }]
  })
  const kept = named.filter(({ file }) => !isForeign(file)).sort((one, other) => other.madeAt - one.madeAt)
  const isAhead = ({ madeAt }: KeptBackup): boolean => madeAt > now + maxAheadMillis
  return {
    dated: kept.filter((backup) => !isAhead(backup)),
    ahead: kept.filter(isAhead),
    hasForeign: kept.length < named.length
  }
}

const codeOf = (failure: unknown): string => (failure as NodeJS.ErrnoException).code ?? "unknown"

const inFolder = (judged: Judged, now: number): Effect.Effect<KeptBackups, BackupFailed> => {
  const { folder } = judged.settings
  return Effect.try({
    try: () => keptBackups(judged, now),
    catch: (failure) =>
      new BackupFailed({
        reason: existsSync(folder)
          ? `the folder ${folder} can't be read (${codeOf(failure)})`
          : `there is no folder ${folder}`
      })
  })
}

/** Milliseconds until the next backup is due. */
const untilDue = ({ dated: [newest] }: KeptBackups, intervalMillis: number, now: number): number =>
  newest === undefined ? 0 : Math.max(0, Math.min(newest.madeAt, now) + intervalMillis - now)

/** Removes what exceeds the number that is kept: the backups dated in the future, then the oldest. One that can't be removed stays, and is logged. */
const removeOldest = (judged: Judged, now: number): Effect.Effect<void, BackupFailed> =>
  Effect.flatMap(inFolder(judged, now), ({ ahead, dated }) =>
    Effect.forEach(
      [...dated, ...ahead].slice(judged.settings.copies),
      ({ file }) =>
        Effect.catchAll(Effect.try({ try: () => rmSync(file, { force: true }), catch: codeOf }), (code) =>
          Effect.logError("backup not removed", { file, reason: `it can't be removed (${code})` })
        ),
      { discard: true }
    )
  )

/** Makes a backup unless another process has made it meanwhile, which answers null. */
const make = (judged: Judged): Effect.Effect<MadeBackup | null, BackupFailed> =>
  Effect.gen(function* () {
    const { database, encryption, settings } = judged
    const startedAt = yield* Clock.currentTimeMillis
    const kept = yield* inFolder(judged, startedAt)
    if (untilDue(kept, settings.intervalMillis, startedAt) > 0) return null
    const file = join(settings.folder, nameOf(database, startedAt))
    const { bytes } = yield* SqliteStore.backup(database, file, { encryption })
    // The backup is made. A folder that can't be read now fails the next round, which logs it.
    yield* Effect.ignore(removeOldest(judged, startedAt))
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
const round = (judged: Judged, { onFailed, onMade, onNewest }: BackupObserver, warned: Set<string>) =>
  Effect.gen(function* () {
    const { database, settings } = judged
    const { folder, intervalMillis } = settings
    const now = yield* Clock.currentTimeMillis
    const kept = yield* inFolder(judged, now)
    const [newest] = kept.dated
    // Also after a restart, and where another server made it, so that no alarm is raised of a backup that is there.
    if (newest !== undefined) onNewest(newestBackup(newest, now))
    else if (kept.ahead.length > 0) onNewest(null)
    for (const { file } of kept.ahead) {
      if (warned.has(file)) continue
      warned.add(file)
      yield* Effect.logWarning("backup dated in the future", { file })
    }
    if (kept.hasForeign && !warned.has(folder)) {
      warned.add(folder)
      yield* Effect.logWarning("backups of another database", { folder })
    }
    const due = untilDue(kept, intervalMillis, now)
    if (due > 0) return due
    const made = yield* SqliteStore.exclusively(`${database}-backup`, make(judged)).pipe(
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
    // Nothing may end the backups for good.
    Effect.catchAllDefect((defect) => new BackupFailed({ reason: `internal error (${codeOf(defect)})` })),
    Effect.catchTag("BackupFailed", ({ reason }) =>
      Effect.as(
        Effect.logError("backup failed", { reason }).pipe(Effect.tap(() => Effect.sync(onFailed))),
        Math.min(retryMillis, judged.settings.intervalMillis)
      )
    )
  )

/** A longer interval is waited for in parts: a clock that is set is noticed within the time. */
const maxWaitMillis = 10 * 60_000

/** Makes backups for ever. */
export const makeBackups = (backedUp: BackedUp, observer: BackupObserver): Effect.Effect<never> =>
  Effect.suspend(() => {
    const warned = new Set<string>()
    const judged: Judged = { ...backedUp, isForeign: foreignBackups(backedUp) }
    return Effect.forever(
      Effect.flatMap(round(judged, observer, warned), (millis) =>
        Effect.sleep(Math.min(millis, maxWaitMillis))
      )
    )
  })
