/**
 * The SQLite file: one connection that writes, one that reads beside it, WAL between them. A commit is on the disk when
 * it is answered (synchronous=FULL); a file that another process is writing to is waited for without blocking this one.
 */
import { StoreUnavailable } from "@lead-signals/domain"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { Cause, Context, Effect, Layer, Queue, Schedule } from "effect"
import { closeSync, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { leads } from "./migrations/0001_leads.ts"
import { webhooks } from "./migrations/0002_webhooks.ts"

/** In order; a released one is never changed. */
const migrations = { "0001_leads": leads, "0002_webhooks": webhooks }
const newestMigration = Object.keys(migrations).length

/** Marks the file as ours, "LSig": a foreign SQLite file is refused. */
const applicationId = 0x4c536967

export class Database extends Context.Tag("@lead-signals/store-sqlite/Database")<
  Database,
  {
    /** Runs the work over one state of the file. */
    readonly read: <A>(
      work: (sql: SqlClient.SqlClient) => Effect.Effect<A, SqlError.SqlError>
    ) => Effect.Effect<A, StoreUnavailable>
    /** Runs the work as one transaction: all of it is committed, or nothing. */
    readonly write: <A>(
      work: (sql: SqlClient.SqlClient) => Effect.Effect<A, SqlError.SqlError>
    ) => Effect.Effect<A, StoreUnavailable>
    /** Takes out of the write-ahead log what was overwritten, as far as no reader is in the way. [PII-3] */
    readonly forgetLog: Effect.Effect<void>
    /** Holds something when this process has made deliveries due. */
    readonly queued: Queue.Queue<void>
  }
>() {}

const codeOf = (failure: unknown): string => {
  const cause = (failure as { cause?: unknown })?.cause ?? failure
  const code = (cause as { code?: unknown })?.code
  return typeof code === "string" ? code : ""
}

const isBusy = (failure: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(failure))

/** A commit that failed half way can leave its transaction open. */
const isLeftOpen = (failure: unknown): boolean => {
  const cause = (failure as { cause?: unknown })?.cause ?? failure
  return /within a transaction/.test(String((cause as { message?: unknown })?.message))
}

const reasons: ReadonlyArray<readonly [RegExp, string]> = [
  [/^SQLITE_(BUSY|LOCKED)/, "another process keeps the file locked"],
  [/^SQLITE_FULL/, "the disk is full"],
  [/^SQLITE_(CORRUPT|NOTADB)/, "the file is damaged or is no SQLite file"],
  [/^SQLITE_(READONLY|PERM|AUTH|CANTOPEN)/, "the file can't be opened for writing"],
  [/^SQLITE_IOERR/, "the disk can't be read or written"]
]

export const unavailable = (failure: unknown): StoreUnavailable => {
  if (failure instanceof StoreUnavailable) return failure
  const code = codeOf(failure)
  const reason = reasons.find(([pattern]) => pattern.test(code))?.[1] ?? "the SQLite file could not be used"
  return new StoreUnavailable({ reason: code === "" ? reason : `${reason} (${code})`, cause: failure })
}

/** A failed BEGIN or COMMIT comes as a defect of the SQL library, which is no bug of ours: it is a failure, too. */
const asFailure = <A, R>(work: Effect.Effect<A, unknown, R>): Effect.Effect<A, unknown, R> =>
  Effect.catchAllCause(work, (cause) =>
    Cause.isInterrupted(cause) || codeOf(Cause.squash(cause)) === ""
      ? Effect.failCause(cause)
      : Effect.fail(Cause.squash(cause))
  )

/** Waits up to about 10 s in all for another process to let go of the file. */
const patience = Schedule.exponential("5 millis", 1.5).pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(17)),
  Schedule.whileInput(isBusy)
)

export interface DatabaseOptions {
  readonly synchronous: "FULL" | "OFF"
  /** Runs within each transaction that writes, when all of it is written and nothing is committed. */
  readonly beforeCommit: Effect.Effect<void>
}

/** How long a statement itself waits, and blocks this process, for a lock. */
const lockWaitMillis = 20

const connect = (filename: string, options: { readonly readonly: boolean; readonly synchronous: string }) =>
  Effect.gen(function* () {
    const client = yield* SqliteClient.make({
      filename,
      readonly: options.readonly,
      disableWAL: options.readonly
    })
    yield* client.unsafe(`PRAGMA busy_timeout = ${lockWaitMillis}`)
    yield* client.unsafe(`PRAGMA synchronous = ${options.synchronous}`)
    yield* client.unsafe("PRAGMA foreign_keys = ON")
    yield* client.unsafe("PRAGMA secure_delete = ON")
    return client as SqlClient.SqlClient
  })

/** Personal data is in it: a file that we make is its owner's alone. */
const createPrivately = (filename: string) =>
  Effect.try({
    try: () => {
      mkdirSync(dirname(filename), { recursive: true, mode: 0o700 })
      closeSync(openSync(filename, "a", 0o600))
    },
    catch: (cause) =>
      new StoreUnavailable({
        reason: `${filename} can't be made or opened for writing (${(cause as NodeJS.ErrnoException).code ?? "unknown"})`
      })
  })

const checkForeign = (sql: SqlClient.SqlClient, filename: string) =>
  Effect.gen(function* () {
    // One statement, one state of the file: another process may be making it at this moment.
    const [file] = yield* sql.unsafe<{ application_id: number; tables: number }>(
      "SELECT application_id, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id"
    )
    if (file!.tables > 0 && file!.application_id !== applicationId) {
      return yield* new StoreUnavailable({ reason: `${filename} is a SQLite file of another program` })
    }
  })

/** Two processes that start on one file migrate it one after the other. */
const migrate = (sql: SqlClient.SqlClient, filename: string) =>
  Effect.gen(function* () {
    yield* checkForeign(sql, filename)
    const run = Migrator.make({})({ loader: Migrator.fromRecord(migrations), table: "migration" })
    yield* sql.withTransaction(
      Effect.zipRight(
        sql.unsafe(`PRAGMA application_id = ${applicationId}`),
        Effect.provideService(run, SqlClient.SqlClient, sql)
      )
    )
    const [newest] = yield* sql.unsafe<{ id: number }>("SELECT max(migration_id) AS id FROM migration")
    if (newest!.id > newestMigration) {
      return yield* new StoreUnavailable({
        reason: `${filename} was written by a newer version of Lead Signals: start that version`
      })
    }
  })

const make = (filename: string, { beforeCommit, synchronous }: DatabaseOptions) =>
  Effect.gen(function* () {
    yield* createPrivately(filename)
    const writer = yield* connect(filename, { readonly: false, synchronous })
    yield* asFailure(migrate(writer, filename)).pipe(Effect.retry(patience))
    const reader = yield* connect(filename, { readonly: true, synchronous })

    const queued = yield* Queue.sliding<void>(1)

    return Database.of({
      queued,
      read: (work) =>
        asFailure(reader.withTransaction(work(reader))).pipe(
          Effect.retry(patience),
          Effect.mapError(unavailable)
        ),
      write: (work) =>
        asFailure(
          writer.withTransaction(
            Effect.zipLeft(
              Effect.zipRight(writer.unsafe("UPDATE commits SET n = n + 1"), work(writer)),
              beforeCommit
            )
          )
        ).pipe(
          // The failed BEGIN has rolled back what a failed commit left open.
          Effect.retry({ times: 1, while: isLeftOpen }),
          Effect.retry(patience),
          Effect.mapError(unavailable)
        ),
      forgetLog: Effect.ignore(asFailure(writer.unsafe("PRAGMA wal_checkpoint(TRUNCATE)")))
    })
  }).pipe(asFailure, Effect.mapError(unavailable))

export const layer = (filename: string, options: DatabaseOptions): Layer.Layer<Database, StoreUnavailable> =>
  Layer.scoped(Database, make(filename, options)).pipe(Layer.provide(Reactivity.layer))

/** A connection of its own, for what need not survive a loss of power. */
export const connectVolatile = (filename: string) =>
  Effect.zipRight(createPrivately(filename), connect(filename, { readonly: false, synchronous: "OFF" })).pipe(
    asFailure,
    Effect.mapError(unavailable),
    Effect.provide(Reactivity.layer)
  )

export { asFailure, patience }
