/**
 * Rate windows, in a small file beside the database, so that all processes on one database share them and no request
 * waits for the disk: the file is not synced, and what a loss of power takes is a minute's windows.
 *
 * A process takes requests of a busy key out of the file ahead: it need not go there for each. So no more are let through than
 * the limit, however many processes there are; what one has taken, others can't spend, nor can anybody when it dies. That is
 * one in two hundred of the limit at most, and none of a limit below 200: there each request is counted in the file.
 *
 * The file is disposable: no request fails because of it. A damaged one is renamed and replaced. While it can't be written,
 * each process counts in memory for itself, beginning with the file's windows if they can be read. [RATE-5, RATE-6]
 */
import {
  RateLimit,
  RateWindows,
  RequestReserve,
  SharedRateWindows,
  type StoreUnavailable,
  WindowsInMemory
} from "@lead-signals/domain"
import { type Clock, Effect, Layer, Scope } from "effect"
import { realpathSync, renameSync, rmSync } from "node:fs"
import { basename } from "node:path"
import type { DriverConnection } from "../connection/DriverConnection.ts"
import type { FileKey } from "../connection/FileKey.ts"
import { connectVolatile } from "../connection/FileConnection.ts"
import { identityOf } from "../connection/OpenedFile.ts"
import { briefBusyRetry, codeOf, retryWhileBusy, unavailable } from "../connection/BusyRetry.ts"
import { idOf } from "@lead-signals/sql-rows"

interface WindowRow {
  readonly started_at: number
  readonly used: number
}

/** How many requests of a limit a process counts in advance. */
const takenAheadOf = (limit: number): number => Math.floor(limit / 200)

/** Fails where the file is damaged, or its table has another form. */
const prepare = (sql: DriverConnection): void => {
  sql.run(
    "CREATE TABLE IF NOT EXISTS rate_window (key_id INTEGER PRIMARY KEY, started_at INTEGER NOT NULL, used INTEGER NOT NULL) STRICT"
  )
  const [found] = sql.all<{ readonly quick_check: string }>("PRAGMA quick_check(1)")
  if (found?.quick_check !== "ok") {
    throw Object.assign(new Error("the file is damaged"), { code: "SQLITE_CORRUPT" })
  }
  sql.get("SELECT key_id, started_at, used FROM rate_window LIMIT 1")
}

const isDamaged = (failure: StoreUnavailable): boolean =>
  /^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(codeOf(failure))

/** Renames the damaged file, unless another process has done so: the file at its path is another one then. */
const moveDamaged = (
  filename: string,
  damaged: string | null,
  { reason }: StoreUnavailable
): Effect.Effect<void, StoreUnavailable> =>
  Effect.zipRight(
    Effect.try({
      try: () => {
        const file = realpathSync(filename)
        if (identityOf(file) !== damaged) return
        renameSync(file, `${file}.damaged`)
        // A log left behind would be taken for the new file's.
        for (const ending of ["-wal", "-shm"]) rmSync(file + ending, { force: true })
      },
      catch: unavailable
    }),
    Effect.logWarning("the file of the rate windows is damaged: it was renamed, and a new one is created", {
      moveDamaged: `${basename(filename)}.damaged`,
      reason
    })
  )

const open = (
  filename: string,
  key: FileKey | undefined
): Effect.Effect<DriverConnection, StoreUnavailable, Scope.Scope> =>
  Effect.suspend(() => {
    const identity = identityOf(filename)
    return Effect.catchIf(connectVolatile(filename, key, prepare), isDamaged, (failure) =>
      Effect.zipRight(moveDamaged(filename, identity, failure), connectVolatile(filename, key, prepare))
    )
  })

const make = (filename: string, key: FileKey | undefined) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    let file: DriverConnection | null = null
    const reserve = new RequestReserve()
    /** Windows counted here while the file can't be written. */
    const alone = new WindowsInMemory()

    const windowOfFile = (sql: DriverConnection, keyId: string): RateLimit.RateWindow | null => {
      const row = sql.get<WindowRow>("SELECT started_at, used FROM rate_window WHERE key_id = ?", [
        idOf(keyId)
      ])
      return row === undefined
        ? null
        : reserve.withoutReserve(keyId, { startedAt: row.started_at, used: row.used })
    }
    const spendOfFile = (
      sql: DriverConnection,
      keyId: string,
      step: RateLimit.RateStep,
      clock: Clock.Clock
    ) => {
      const spent = sql.transaction(() => {
        const now = clock.unsafeCurrentTimeMillis()
        const known = RateLimit.laterWindow(windowOfFile(sql, keyId), alone.get(keyId))
        const { decision, window } = step(known, now)
        const left = Math.min(takenAheadOf(decision.limit), decision.remaining)
        const used = window.used + left
        sql.run("INSERT OR REPLACE INTO rate_window VALUES (?, ?, ?)", [idOf(keyId), window.startedAt, used])
        return { decision, reserved: { startedAt: window.startedAt, used, left, takenAt: now } }
      })
      reserve.put(keyId, spent.reserved)
      alone.delete(keyId)
      return spent.decision
    }
    const ofFileIfReadable = (keyId: string): RateLimit.RateWindow | null => {
      try {
        return file === null ? null : windowOfFile(file, keyId)
      } catch {
        return null
      }
    }
    const opened = Effect.suspend(() =>
      file === null
        ? Effect.map(Scope.extend(open(filename, key), scope), (connection) => (file = connection))
        : Effect.succeed(file)
    )
    const windows = new SharedRateWindows({
      reserve,
      spend: (keyId, step, clock) =>
        Effect.flatMap(opened, (sql) =>
          retryWhileBusy(() => spendOfFile(sql, keyId, step, clock), briefBusyRetry)
        ),
      spendAlone: (keyId, step, now) => alone.spend(keyId, step, now, () => ofFileIfReadable(keyId)),
      messages: {
        lost: "rate windows are kept in memory: their file can't be written",
        found: "rate windows are kept in their file again"
      }
    })
    yield* Effect.catchAll(opened, (failure) =>
      Effect.clockWith((clock) => windows.noteFailure(clock.unsafeCurrentTimeMillis(), failure))
    )
    return RateWindows.of({ step: windows.step })
  })

/** The port of rate windows, in a file of their own beside the database. */
export const layer = (filename: string, key: FileKey | undefined): Layer.Layer<RateWindows> =>
  Layer.scoped(RateWindows, make(filename, key))

/** Windows in the memory of this process, for a store without a file of its own. */
export const inMemory: Layer.Layer<RateWindows> = Layer.sync(RateWindows, () => {
  const windows = new WindowsInMemory()
  return RateWindows.of({
    step: (keyId, step) =>
      Effect.clockWith((clock) =>
        Effect.sync(() => windows.spend(keyId, step, clock.unsafeCurrentTimeMillis()))
      )
  })
})
