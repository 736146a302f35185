/** The database within a host's own transactions, over its `SqlClient`. */
import type { SqlClient } from "@effect/sql"
import { StoreUnavailable } from "@lead-signals/domain"
import { Clock, Effect, Layer, Queue } from "effect"
import { unavailable } from "../connection/BusyRetry.ts"
import type { Connection } from "../connection/Connection.ts"
import { HostConnection } from "../connection/HostConnection.ts"
import { outstanding } from "../schema/Migrations.ts"
import { Database } from "./Database.ts"

/** The path of the file that the client has open; empty where it has none. */
const fileSql = "SELECT file FROM pragma_database_list WHERE name = 'main'"

/** Of each connection that writes leads: erased texts are overwritten, and no row refers to one that is gone. */
const pragmas = ["foreign_keys = ON", "secure_delete = ON"]

const notOffloaded = () => Effect.dieMessage("a host's transaction runs on its own thread")

/** Runs the work as a transaction of the client: within one of the host's it is a savepoint of it. */
const transactionsOf =
  (sql: SqlClient.SqlClient) =>
  <A>(work: (connection: Connection, now: number) => A): Effect.Effect<A, StoreUnavailable> =>
    Effect.flatMap(Effect.runtime<never>(), (runtime) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.try({
          try: () => new HostConnection(sql, runtime).within((connection) => work(connection, now)),
          catch: unavailable
        })
      )
    ).pipe(
      sql.withTransaction,
      Effect.catchTag("SqlError", (failure) => Effect.fail(unavailable(failure.cause ?? failure))),
      Effect.uninterruptible
    )

/** The path of the client's file; fails with `StoreUnavailable` unless it has the tables of this version. */
export const fileOf = (sql: SqlClient.SqlClient): Effect.Effect<string, StoreUnavailable> =>
  transactionsOf(sql)((connection) => {
    const file = connection.value<string>(fileSql) ?? ""
    if (outstanding(connection, file) === null) return file
    throw new StoreUnavailable({
      reason:
        "the client's file has no tables of this version of Lead Signals: open it with SqliteStore.layer before"
    })
  })

/** The `Database` over the client. */
export const layer = (sql: SqlClient.SqlClient): Layer.Layer<Database, StoreUnavailable> =>
  Layer.effect(
    Database,
    Effect.gen(function* () {
      const run = transactionsOf(sql)
      yield* fileOf(sql)
      // They change nothing where the host is within a transaction already.
      for (const pragma of pragmas) yield* Effect.mapError(sql.unsafe(`PRAGMA ${pragma}`), unavailable)
      return Database.of({
        read: (work) => run((connection) => work(connection)),
        write: run,
        readingWorker: { read: notOffloaded },
        writeInWorker: notOffloaded,
        // The log holds the host's transactions, too; it is the host's connection that checkpoints it.
        truncateWal: Effect.void,
        queued: yield* Queue.sliding<void>(1),
        status: Effect.as(
          run((connection) => void connection.value("SELECT n FROM commits")),
          { writeProblem: null }
        ),
        putsOff: false
      })
    })
  )
