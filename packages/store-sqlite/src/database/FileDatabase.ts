/**
 * The database of a file: one connection that writes, one that reads beside it, and the write-ahead log between them. A commit is
 * on the disk when the write succeeds. While another process writes to the file, this one waits without blocking its thread.
 */
import { StoreUnavailable } from "@lead-signals/domain"
import { Effect, Layer, Queue } from "effect"
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
import { readingInPlace, readingWorker } from "../worker/ReadingWorker.ts"
import { isThreadAvailable } from "../worker/startThread.ts"
import { bound } from "./BoundWrites.ts"
import { Database } from "./Database.ts"
import { openJournal } from "./JournalSync.ts"
import { groupCommit, type GroupCommitOptions, type WriteBarrier } from "./GroupCommit.ts"
import { noMerges, scheduleMerges } from "./MergeScheduler.ts"
import { offloadTransactions, writingWorker } from "./OffloadedTransactions.ts"
import { upgrade, type UpgradeOptions } from "./Upgrade.ts"
import * as WriteAheadLog from "./WriteAheadLog.ts"

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
    const failedInPlace = { defect: null }
    const reading = (jobsAtOnce: number) =>
      hasThreads
        ? readingWorker(filename, key, inPlace, jobsAtOnce)
        : readingInPlace(filename, key, failedInPlace)
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
