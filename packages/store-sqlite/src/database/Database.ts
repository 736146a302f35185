/** The open database of a store, which all of its ports share: `FileDatabase` makes it of a file, `HostDatabase` of a host's connection. */
import type { StoreStatus, StoreUnavailable } from "@lead-signals/domain"
import { Context, type Effect, type Queue } from "effect"
import type { Connection } from "../connection/Connection.ts"
import type { Secrets } from "../rows/Secrets.ts"
import type { JobKind, Jobs } from "../worker/Jobs.ts"
import type { ReadingWorker } from "../worker/ReadingWorker.ts"

/** Runs the work in a transaction, with others of the same tick; succeeds after their commit. */
export type Write = <A>(work: (sql: Connection, now: number) => A) => Effect.Effect<A, StoreUnavailable>

/** Runs a job that writes, in one transaction of the worker. `input` gets the current time. */
export type WriteInWorker = <K extends JobKind>(
  kind: K,
  input: (now: number) => Jobs[K]["input"]
) => Effect.Effect<Jobs[K]["output"], StoreUnavailable>

/** What the ports need of the database. */
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
