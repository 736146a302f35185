/**
 * The SQLite file: one connection that writes, one that reads beside it, WAL between them. A commit is on the disk when
 * it is answered; writes that wait at the same time share one commit, and with it the wait for the disk, during which this
 * thread serves others. A file that another process is writing to is waited for without blocking this one.
 */
import { StoreUnavailable, type StoreStatus } from "@lead-signals/domain"
import { Cause, type Clock, Context, Deferred, Effect, FiberId, Layer, Queue, type Scope } from "effect"
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync
} from "node:fs"
import { dirname, resolve } from "node:path"
import { Connection } from "../connection/Connection.ts"
import { tighten } from "../connection/FilePermissions.ts"
import { type MergeScheduler, noMerges, scheduleMerges } from "./MergeScheduler.ts"
import { checkForeign } from "../schema/Migrations.ts"
import { OpenedFile } from "../connection/OpenedFile.ts"
import { isBusy, busyRetry, retryWhileBusy, unavailable } from "../connection/BusyRetry.ts"
import { SharedSnapshot } from "../connection/SharedSnapshot.ts"
import type { TickScheduler } from "../connection/TickScheduler.ts"
import { upgrade, type UpgradeOptions } from "./Upgrade.ts"
import { statusOf, Writability } from "../connection/Writability.ts"
import type { JobKind, Jobs } from "../worker/Jobs.ts"
import { type ReadingWorker, readingWorker } from "../worker/ReadingWorker.ts"
import { isThreadAvailable } from "../worker/startThread.ts"
import { type StoreWorker, storeWorker } from "../worker/StoreWorker.ts"
import * as WriteAheadLog from "./WriteAheadLog.ts"

export class Database extends Context.Tag("@lead-signals/store-sqlite/Database")<
  Database,
  {
    /** Runs the work over one state of the file, that of its turn. */
    readonly read: <A>(work: (sql: Connection) => A) => Effect.Effect<A, StoreUnavailable>
    /**
     * Runs the work as one transaction: all of it is committed, or nothing. `now` is read in it; so are the times of all
     * that it writes.
     */
    readonly write: <A>(work: (sql: Connection, now: number) => A) => Effect.Effect<A, StoreUnavailable>
    /** Reads what takes long. */
    readonly readingWorker: ReadingWorker
    /** Runs a job that writes and takes long, in one transaction, which the writes of this thread wait for. */
    readonly writeInWorker: <K extends JobKind>(
      kind: K,
      input: (now: number) => Jobs[K]["input"]
    ) => Effect.Effect<Jobs[K]["output"], StoreUnavailable>
    /** Takes out of the write-ahead log what was overwritten: at once, or as soon as no reader is in the way. [PII-3] */
    readonly truncateWal: Effect.Effect<void>
    /** Holds something when this process has made deliveries due. */
    readonly queued: Queue.Queue<void>
    /** What works: fails when the file can't be read, or is not the one at its path any more. */
    readonly status: Effect.Effect<StoreStatus, StoreUnavailable>
    /** Whether a write that nobody waits for can come after its caller has gone on. */
    readonly putsOff: boolean
  }
>() {}

export interface DatabaseOptions extends UpgradeOptions {
  /** Whether what is committed is on the disk when it is answered. */
  readonly synced: boolean
  readonly ticks: TickScheduler
  /** A transaction that one more write like those before would keep longer takes no more in: others want to be served, too. */
  readonly groupMillis: number
  /** Runs within each transaction that writes, when all of it is written and nothing is committed. */
  readonly beforeCommit: () => void
}

type Sharing = Pick<DatabaseOptions, "beforeCommit" | "groupMillis">

/** What a connection holds of the file; the inner pages of a million leads' indexes among it. */
const cacheKibibytes = 65_536

/** How long a statement itself waits, and blocks this process, for a lock; then it is tried again, and others are served. */
const lockWaitMillis = 3

const connect = (
  filename: string,
  options: {
    readonly readonly: boolean
    readonly synchronous: string
    /** Refuses a file before anything of it is changed. */
    readonly inspect?: (connection: Connection) => void
    /** Makes what must be there before the connection is used. */
    readonly prepare?: (connection: Connection) => void
  }
): Effect.Effect<Connection, StoreUnavailable, Scope.Scope> =>
  Effect.acquireRelease(
    retryWhileBusy(() => {
      const connection = new Connection(filename, { ...options, busyMillis: lockWaitMillis })
      try {
        options.inspect?.(connection)
        if (!options.readonly) connection.pragma("journal_mode = WAL")
        connection.pragma(`synchronous = ${options.synchronous}`)
        connection.pragma("foreign_keys = ON")
        connection.pragma("secure_delete = ON")
        connection.pragma(`cache_size = -${cacheKibibytes}`)
        options.prepare?.(connection)
        return connection
      } catch (failure) {
        connection.close()
        throw failure
      }
    }),
    (connection) => Effect.sync(() => connection.close())
  )

const makeIfMissing = (filename: string): string => {
  mkdirSync(dirname(filename), { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(filename, "wx", 0o600))
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== "EEXIST") throw failure
    if (!existsSync(filename)) {
      // A link to a file that is not there yet.
      return makeIfMissing(resolve(realpathSync(dirname(filename)), readlinkSync(filename)))
    }
    // Not opened: closing it again would take away the locks that this process holds on it.
    accessSync(filename, constants.R_OK | constants.W_OK)
  }
  return realpathSync(filename)
}

/**
 * Personal data is in it: a file that we make is its owner's alone. Answers its name without links, beside which SQLite
 * keeps its log.
 */
export const createPrivately = (filename: string): Effect.Effect<string, StoreUnavailable> =>
  Effect.try({
    try: () => makeIfMissing(filename),
    catch: (cause) =>
      new StoreUnavailable({
        reason: `${filename} can't be made or opened for writing (${(cause as NodeJS.ErrnoException).code ?? "unknown"})`
      })
  })

/** Somebody's write, waiting to be committed. */
interface Waiting {
  readonly work: (sql: Connection, now: number) => unknown
  readonly clock: Clock.Clock
  readonly answer: Deferred.Deferred<unknown, StoreUnavailable>
}

/** What became of a write. */
type Done = { readonly failure: unknown } | { readonly result: unknown }

/** All in one transaction, each after the ones before it; as many of them as there is time for, and one at least. */
const together = (
  writer: Connection,
  waiting: ReadonlyArray<Waiting>,
  sharing: Sharing
): ReadonlyArray<Done> =>
  writer.transaction(() => {
    const startedAt = performance.now()
    const done: Array<Done> = []
    for (const { clock, work } of waiting) {
      done.push({ result: work(writer, clock.unsafeCurrentTimeMillis()) })
      const millis = performance.now() - startedAt
      if (millis + millis / done.length > sharing.groupMillis) break
    }
    writer.beforeCommit(sharing.beforeCommit)
    return done
  })

/** Each in a transaction of its own. */
const apart = (writer: Connection, waiting: ReadonlyArray<Waiting>, sharing: Sharing): ReadonlyArray<Done> =>
  waiting.map((each): Done => {
    try {
      return together(writer, [each], sharing)[0]!
    } catch (failure) {
      return { failure }
    }
  })

/** What fails among others has them done anew, each for itself: it takes back what it did, and no more. */
const commitAll = (
  writer: Connection,
  waiting: ReadonlyArray<Waiting>,
  sharing: Sharing
): ReadonlyArray<Done> => {
  try {
    return together(writer, waiting, sharing)
  } catch (failure) {
    if (waiting.length === 1 || isBusy(failure)) throw failure
    return apart(writer, waiting, sharing)
  }
}

/** So many writes at most share a commit: none of them waits for more than that many others. */
const maxGroup = 256
const maxTurns = 8

type Write = (typeof Database.Service)["write"]

/** Holds writes of this thread back while the worker writes, or waits to. */
interface WriteBarrier {
  /** Settles when the worker's last job has ended; null when it writes nothing. */
  raised: Promise<unknown> | null
}

const writing = (
  writer: Connection,
  log: WriteAheadLog.WriteAheadLog,
  reading: SharedSnapshot,
  barrier: WriteBarrier,
  opened: OpenedFile,
  writability: Writability,
  { ticks, ...sharing }: Sharing & Pick<DatabaseOptions, "ticks">
): { readonly write: Write; readonly close: Effect.Effect<void> } => {
  let waiting: Array<Waiting> = []
  let isLed = false
  let isClosed = false
  let onIdle = (): void => {}
  const answerAll = (group: ReadonlyArray<Waiting>, done: ReadonlyArray<Done>) =>
    Effect.forEach(
      done,
      (each, i) =>
        "failure" in each
          ? Deferred.fail(group[i]!.answer, unavailable(each.failure))
          : Deferred.succeed(group[i]!.answer, each.result),
      { discard: true }
    )
  const failAll = (group: ReadonlyArray<Waiting>, cause: Cause.Cause<StoreUnavailable>) =>
    Effect.forEach(group, ({ answer }) => Deferred.failCause(answer, cause), { discard: true })
  const commit = Effect.suspend(() => {
    const group = waiting.slice(0, maxGroup)
    return Effect.matchCauseEffect(
      retryWhileBusy(() => {
        opened.check()
        const before = writer.changes
        reading.end()
        const done = commitAll(writer, group, sharing)
        return { done, hasWritten: writer.changes !== before }
      }),
      {
        onFailure: (cause) => {
          waiting = waiting.slice(group.length)
          writability.failed(cause)
          return failAll(group, cause)
        },
        onSuccess: ({ done, hasWritten }) => {
          waiting = waiting.slice(done.length)
          const sync = hasWritten || log.isSuspect() ? log.sync : Effect.void
          return Effect.matchCauseEffect(sync, {
            onFailure: (cause) => {
              writability.failed(cause)
              return failAll(group.slice(0, done.length), cause)
            },
            onSuccess: () => {
              if (hasWritten) writability.succeeded()
              for (const each of done) {
                if ("failure" in each) writability.failed(Cause.fail(unavailable(each.failure)))
              }
              return answerAll(group, done)
            }
          })
        }
      }
    )
  })
  /** The worker's job takes as long as it takes: the retries of a busy file do not run out meanwhile. */
  const commitNext = Effect.suspend(() => {
    const { raised } = barrier
    return raised === null
      ? commit
      : Effect.zipRight(
          Effect.promise(() => raised),
          commit
        )
  })
  /** Until a turn brings no more. */
  const gatherAll = Effect.gen(function* () {
    for (let passed = 0, known = 0; passed < maxTurns && waiting.length > known; passed++) {
      known = waiting.length
      yield* ticks.next
    }
  })
  const end = Effect.sync(() => {
    isLed = false
    onIdle()
  })
  const commitRest = Effect.ensuring(
    Effect.whileLoop({ while: () => waiting.length > 0, body: () => commitNext, step: () => {} }),
    end
  )
  /**
   * The first that comes commits for all that come until it does; it goes on though its own caller went away. For those that come
   * while it waits for the disk others go on: it must not serve them for ever.
   */
  const lead = Effect.ensuring(
    Effect.zipRight(gatherAll, commitNext),
    Effect.suspend(() => (waiting.length === 0 ? end : Effect.asVoid(Effect.forkDaemon(commitRest))))
  )
  const write: Write = <A>(work: (sql: Connection, now: number) => A) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.clockWith((clock): Effect.Effect<A, StoreUnavailable> => {
        if (isClosed) return Effect.fail(new StoreUnavailable({ reason: "the store is closed" }))
        const answer = Deferred.unsafeMake<unknown, StoreUnavailable>(FiberId.none)
        waiting.push({ work, clock, answer })
        const awaited = restore(Deferred.await(answer)) as Effect.Effect<A, StoreUnavailable>
        if (isLed) return awaited
        isLed = true
        return Effect.zipRight(lead, awaited)
      })
    )
  /** Takes nothing more, and ends when what was taken is answered. */
  const close = Effect.async<void>((resume) => {
    isClosed = true
    if (!isLed) resume(Effect.void)
    else onIdle = () => resume(Effect.void)
  })
  return { write, close }
}

/** The worker that checkpoints the log, merges segments, erases much and migrates large files. */
const writingWorker = (filename: string, synchronous: string, beforeOpening: () => void) =>
  storeWorker(filename, {
    readonly: false,
    busyMillis: 50,
    beforeOpening,
    pragmas: [
      `synchronous = ${synchronous}`,
      "foreign_keys = ON",
      "secure_delete = ON",
      `cache_size = -${cacheKibibytes}`
    ]
  })

/** The job's commit is on the disk when it is answered. */
const writingInWorker =
  (
    worker: StoreWorker,
    log: WriteAheadLog.WriteAheadLog,
    reading: SharedSnapshot,
    barrier: WriteBarrier,
    opened: OpenedFile,
    writability: Writability,
    merges: MergeScheduler
  ): (typeof Database.Service)["writeInWorker"] =>
  <K extends JobKind>(kind: K, input: (now: number) => Jobs[K]["input"]) => {
    const run = (now: number): Promise<Jobs[K]["output"]> => {
      const done = worker.run(kind, input(now))
      const raised: Promise<unknown> = done
        .catch(() => {})
        .then(() => {
          if (barrier.raised === raised) barrier.raised = null
        })
      barrier.raised = raised
      return done
    }
    return Effect.uninterruptible(
      Effect.clockWith((clock) =>
        Effect.zipRight(
          opened.checked,
          Effect.tryPromise({
            try: () => run(clock.unsafeCurrentTimeMillis()),
            catch: (failure) => failure
          })
        )
      ).pipe(
        Effect.retry(busyRetry),
        Effect.mapError(unavailable),
        Effect.tap(() => {
          reading.end()
          return log.sync
        }),
        Effect.tapErrorCause((cause) => Effect.sync(() => writability.failed(cause))),
        merges.whilePaused
      )
    )
  }

const make = (path: string, options: DatabaseOptions) =>
  Effect.gen(function* () {
    if (options.synced && !isThreadAvailable()) {
      return yield* new StoreUnavailable({
        reason:
          "the program of its threads is missing: leave @lead-signals/store-sqlite outside of your bundle"
      })
    }
    const filename = yield* createPrivately(path)
    const wasLeft = WriteAheadLog.isLeft(filename)
    const writer = yield* connect(filename, {
      readonly: false,
      synchronous: options.synced ? "FULL" : "OFF",
      inspect: (connection) => checkForeign(connection, filename)
    })
    const opened = new OpenedFile(filename)
    yield* tighten(filename)
    const inPlace = (): void => opened.check()
    const worker = yield* writingWorker(filename, options.synced ? "NORMAL" : "OFF", inPlace)
    yield* upgrade(filename, writer, worker, options)
    const reader = yield* connect(filename, { readonly: true, synchronous: "NORMAL" })
    let log: WriteAheadLog.WriteAheadLog
    let merges = noMerges
    if (!options.synced) log = yield* WriteAheadLog.unsynced(writer, wasLeft)
    else {
      log = yield* WriteAheadLog.synced(filename, wasLeft, worker)
      merges = yield* scheduleMerges(writer, worker)
      // The log is synced by us from here on, and taken over into the file.
      writer.pragma("synchronous = NORMAL")
      writer.pragma(`wal_autocheckpoint = ${WriteAheadLog.maxPagesEver}`)
    }
    const reading = new SharedSnapshot(reader, options.ticks)
    const queued = yield* Queue.sliding<void>(1)
    const barrier: WriteBarrier = { raised: null }
    const writability = new Writability(dirname(filename))
    const { close, write } = writing(writer, log, reading, barrier, opened, writability, options)
    const read: (typeof Database.Service)["read"] = (work) => retryWhileBusy(() => reading.read(work))
    // Before the log and the connections are closed. Where nobody waits for a disk, nothing is under way.
    if (options.synced) yield* Effect.addFinalizer(() => close)
    return Database.of({
      queued,
      read,
      write,
      readingWorker: yield* readingWorker(filename, inPlace),
      writeInWorker: writingInWorker(worker, log, reading, barrier, opened, writability, merges),
      truncateWal: log.truncate,
      status: statusOf(read, write, opened, writability),
      putsOff: options.ticks.isAlone !== true
    })
  })

export const layer = (filename: string, options: DatabaseOptions): Layer.Layer<Database, StoreUnavailable> =>
  Layer.scoped(Database, make(filename, options))

/** A connection of its own, for what need not survive a loss of power. */
export const connectVolatile = (
  filename: string,
  prepare: (connection: Connection) => void
): Effect.Effect<Connection, StoreUnavailable, Scope.Scope> =>
  Effect.flatMap(createPrivately(filename), (made) =>
    Effect.tap(connect(made, { readonly: false, synchronous: "OFF", prepare }), () => tighten(made))
  )
