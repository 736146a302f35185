/**
 * The SQLite file: one connection that writes, one that reads beside it, WAL between them. A commit is on the disk when the
 * write succeeds. A file that another process is writing to is waited for without blocking this one.
 */
import { StoreUnavailable, type StoreStatus } from "@lead-signals/domain"
import { Context, Effect, Layer, Queue } from "effect"
import { dirname } from "node:path"
import { retryWhileBusy, unavailable } from "../connection/BusyRetry.ts"
import type { Connection } from "../connection/Connection.ts"
import { loadDriver, refuseOtherKey } from "../connection/Driver.ts"
import { connect } from "../connection/FileConnection.ts"
import { tighten } from "../connection/FilePermissions.ts"
import { OpenedFile } from "../connection/OpenedFile.ts"
import { createPrivately } from "../connection/PrivateFile.ts"
import type { StoreEncryption } from "../connection/StoreEncryption.ts"
import { SharedSnapshot } from "../connection/SharedSnapshot.ts"
import { statusOf, Writability } from "../connection/Writability.ts"
import { RemovalJournal } from "../journal/RemovalJournal.ts"
import { mustWrap, rewrap, Secrets } from "../rows/Secrets.ts"
import { checkForeign, checkVersion, versionOf } from "../schema/Migrations.ts"
import { readingInPlace, type ReadingWorker, readingWorker } from "../worker/ReadingWorker.ts"
import { isThreadAvailable } from "../worker/startThread.ts"
import { bound } from "./BoundWrites.ts"
import { openJournal } from "./JournalSync.ts"
import { groupCommit, type GroupCommitOptions, type Write, type WriteBarrier } from "./GroupCommit.ts"
import { noMerges, scheduleMerges } from "./MergeScheduler.ts"
import { offloadTransactions, type WriteInWorker, writingWorker } from "./OffloadedTransactions.ts"
import { upgrade, type UpgradeOptions } from "./Upgrade.ts"
import * as WriteAheadLog from "./WriteAheadLog.ts"

/**
 * The open file, which all ports of the store share. Its layers are `layer` here, for a file, and that of `HostDatabase`, for a connection of
 * the host's.
 */
export class Database extends Context.Tag("@lead-signals/store-sqlite/Database")<
  Database,
  {
    /** Runs the work over one state of the file, which all reads of one tick share. */
    readonly read: <A>(work: (sql: Connection) => A) => Effect.Effect<A, StoreUnavailable>
    /**
     * Runs the work as one transaction: all of it is committed, or nothing. `now` is read in it; so are the times of all
     * that it writes.
     */
    readonly write: Write
    /** Runs reads that take long. */
    readonly readingWorker: ReadingWorker
    /** Searches texts that it has in memory; null where nothing is kept there. */
    readonly searchingWorker: ReadingWorker | null
    /** Runs a job that writes and takes long, in one transaction, which the writes of this thread wait for. */
    readonly writeInWorker: WriteInWorker
    /** Whether `writeInWorker` has a thread. */
    readonly hasWritingThread: boolean
    /** Removes overwritten pages from the write-ahead log: at once, or as soon as no reader is in the way. [PII-3] */
    readonly truncateWal: Effect.Effect<void>
    /** Reads and writes the columns of secrets. */
    readonly secrets: Secrets
    /**
     * Ends when the journal of removals has all that the database has removed: to be awaited before a removal is answered. Fails when
     * the journal can't be written; then it is tried again until it has it. [REST-1, REST-2]
     */
    readonly journalRemovals: Effect.Effect<void, StoreUnavailable>
    /** Holds an item when this process has made deliveries due. */
    readonly queued: Queue.Queue<void>
    /** Fails when the file can't be read, or is not the one at its path any more. */
    readonly status: Effect.Effect<StoreStatus, StoreUnavailable>
    /** Whether a write that no caller waits for may run after its caller has gone on. */
    readonly putsOff: boolean
    /** Whether what was read stays true until the file has another version: not where a host can roll back. */
    readonly keepsReads: boolean
  }
>() {}

/** How the file is opened, written and upgraded; `SqliteStoreOptions` says what each is when a host leaves it out. */
export interface DatabaseOptions extends UpgradeOptions, GroupCommitOptions {
  /** Whether what is committed is on the disk when the write succeeds. */
  readonly synced: boolean
  /** The key of the file and the wrapper of its secrets. */
  readonly encryption: StoreEncryption
  /** The path of the journal of removals; beside the file where it is undefined. */
  readonly journal?: string | undefined
}

/** Jobs that the searching thread has: short ones follow each other without a wait for the serving thread. */
const searchesAtOnce = 2

const make = (path: string, options: DatabaseOptions) =>
  Effect.gen(function* () {
    // A program that schedules by itself has no threads: there SQLite syncs each commit, and checkpoints, within the write.
    const isAlone = options.ticks.isAlone === true
    const hasThreads = options.ticks.hasThreads !== false
    const syncsInThreads = options.synced && !isAlone
    if (syncsInThreads && !isThreadAvailable()) {
      return yield* new StoreUnavailable({
        reason:
          "the program of the store's threads is missing: leave @lead-signals/store-sqlite out of your bundle"
      })
    }
    const { fileKey: key, secrets } = options.encryption
    yield* Effect.try({ try: () => loadDriver(key), catch: unavailable })
    const filename = yield* createPrivately(path)
    const wasLeft = WriteAheadLog.isLeft(filename)
    yield* Effect.try({ try: () => refuseOtherKey(filename, key), catch: unavailable })
    const opened = new OpenedFile(filename)
    const writer = yield* connect(filename, {
      readonly: false,
      synchronous: options.synced ? "FULL" : "OFF",
      key,
      inspect: (connection) => {
        checkForeign(connection, filename)
        versionOf(connection, filename)
      }
    })
    // A restore can have replaced the file while this process waited for it.
    yield* opened.checked
    yield* tighten(filename)
    const inPlace = (): void => opened.check()
    const worker = yield* writingWorker(filename, options.synced ? "NORMAL" : "OFF", key, inPlace)
    yield* upgrade(
      filename,
      writer,
      worker,
      hasThreads ? options : { ...options, maxEffort: Number.POSITIVE_INFINITY }
    )
    yield* retryWhileBusy(() => {
      if (!mustWrap(writer, filename, secrets)) return
      // Another process may have wrapped them meanwhile.
      writer.transaction(() => {
        if (mustWrap(writer, filename, secrets)) rewrap(writer, undefined, secrets)
      })
    })
    const reader = yield* connect(filename, { readonly: true, synchronous: "NORMAL", key })
    let log: WriteAheadLog.WriteAheadLog
    let merges = noMerges
    if (!syncsInThreads) log = yield* WriteAheadLog.ofSqlite(writer, wasLeft)
    else {
      log = yield* WriteAheadLog.synced(filename, wasLeft, worker)
      merges = yield* scheduleMerges(writer, worker)
      // `log` syncs and checkpoints from here on.
      writer.pragma("synchronous = NORMAL")
      writer.pragma(`wal_autocheckpoint = ${WriteAheadLog.maxPagesEver}`)
    }
    const snapshot = new SharedSnapshot(reader, options.ticks)
    const queued = yield* Queue.sliding<void>(1)
    const barrier: WriteBarrier = { raised: null }
    const writability = new Writability(dirname(filename))
    const refuseNewer = (sql: Connection): void => checkVersion(sql, filename)
    const { close, write } = groupCommit(
      { writer, log, snapshot, barrier, opened, writability, checkVersion: refuseNewer },
      options
    )
    const journal = new RemovalJournal(filename, { synced: options.synced, file: options.journal })
    const { journalRemovals, journalProblem } = yield* openJournal({ journal, writer, log, barrier, opened })
    const read: (typeof Database.Service)["read"] = (work) => retryWhileBusy(() => snapshot.read(work))
    const ofThisVersion = read(refuseNewer)
    const offloaded = offloadTransactions({ worker, log, snapshot, barrier, opened, writability, merges })
    // The last commits end before the log and the connections close. Without threads a commit ends at once.
    if (syncsInThreads) yield* Effect.addFinalizer(() => close)
    const reading = (jobsAtOnce: number) =>
      hasThreads ? readingWorker(filename, key, inPlace, jobsAtOnce) : readingInPlace(filename, key)
    return Database.of({
      secrets: new Secrets(secrets),
      queued,
      read,
      write: bound(write),
      readingWorker: yield* reading(1),
      searchingWorker: isAlone && hasThreads ? null : yield* reading(searchesAtOnce),
      writeInWorker: (kind, input) => Effect.zipRight(ofThisVersion, offloaded(kind, input)),
      truncateWal: log.truncate,
      journalRemovals,
      status: Effect.zipRight(
        ofThisVersion,
        Effect.map(statusOf(read, write, opened, writability), ({ writeProblem }) => ({
          writeProblem: writeProblem ?? journalProblem(),
          journalProblem: journalProblem()
        }))
      ),
      hasWritingThread: hasThreads,
      putsOff: !isAlone,
      keepsReads: true
    })
  })

/** Opens the file, and brings an older one to this version. */
export const layer = (filename: string, options: DatabaseOptions): Layer.Layer<Database, StoreUnavailable> =>
  Layer.scoped(Database, make(filename, options))
