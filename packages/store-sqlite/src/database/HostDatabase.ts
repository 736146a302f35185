/** The database of a host: each method of the store is a part of the host's transaction, or a transaction of its own outside of one. */
import { StoreUnavailable } from "@lead-signals/domain"
import { Context, Effect, Layer, Queue } from "effect"
import { busyRetry, unavailable } from "../connection/BusyRetry.ts"
import type { Connection } from "../connection/Connection.ts"
import { DatabaseProblem } from "../connection/DatabaseProblem.ts"
import { type HostClient, type HostFailure, hostTransaction } from "../connection/HostClient.ts"
import { HostConnection } from "../connection/HostConnection.ts"
import { isPrefix } from "../connection/TablePrefix.ts"
import type { SecretWrapper } from "@lead-signals/encryption"
import { mustWrap, rewrap, Secrets } from "../rows/Secrets.ts"
import { dropOld } from "../journal/RemovalRows.ts"
import { migrateTables } from "../schema/Migrations.ts"
import { bound } from "./BoundWrites.ts"
import { Database, type Write } from "./Database.ts"

/** SQLite's own failure, where the client has wrapped it. */
const ownFailure = (failure: unknown): unknown =>
  (failure as { readonly _tag?: unknown } | null)?._tag === "SqlError"
    ? (failure as HostFailure).cause
    : failure

const noThreads = new StoreUnavailable({ reason: "a host's connection has no worker thread" })

const isInTransaction = Effect.contextWith(
  (context: Context.Context<never>) => Context.getOption(context, hostTransaction)._tag === "Some"
)

const make = (client: HostClient, prefix: string, secrets: SecretWrapper | undefined) =>
  Effect.gen(function* () {
    if (!isPrefix(prefix)) {
      return yield* new StoreUnavailable({
        reason:
          "tablePrefix takes a letter or an underscore, and up to 62 letters, digits and underscores after it"
      })
    }
    const connection = new HostConnection(prefix)
    const write: Write = <A>(
      work: (sql: Connection, now: number) => A
    ): Effect.Effect<A, StoreUnavailable> => {
      const once = client.withTransaction(
        Effect.contextWithEffect((context: Context.Context<never>) =>
          Effect.clockWith((clock) =>
            Effect.try({
              try: () =>
                connection.within(Context.unsafeGet(context, hostTransaction)[0], (sql) =>
                  work(sql, clock.unsafeCurrentTimeMillis())
                ),
              catch: (failure) => failure
            })
          )
        )
      )
      const failing = Effect.mapError(
        // A commit that fails is a defect of the client's.
        Effect.catchAllDefect(once, (defect) =>
          ownFailure(defect) === defect ? Effect.die(defect) : Effect.fail(defect)
        ),
        ownFailure
      )
      // Within the host's transaction only the host can begin again.
      const retried = Effect.flatMap(isInTransaction, (isInHosts) =>
        isInHosts ? failing : Effect.retry(failing, busyRetry)
      )
      return Effect.mapError(retried, unavailable)
    }
    yield* write((sql, now) => {
      if (sql.value("SELECT 1 FROM pragma_compile_options LIMIT 1") === undefined) {
        throw new DatabaseProblem("layerOver takes a client of @effect/sql-sqlite-node")
      }
      // Erased rows are overwritten. [PII-3]
      sql.run("PRAGMA secure_delete = ON")
      migrateTables(sql, "the database", () => {})
      if (mustWrap(sql, "the database", secrets)) rewrap(sql, undefined, secrets)
      dropOld(sql, now)
    })
    return Database.of({
      read: write,
      write: bound(write),
      secrets: new Secrets(secrets),
      queued: yield* Queue.sliding<void>(1),
      readingWorker: { read: () => Effect.fail(noThreads) },
      searchingWorker: null,
      writeInWorker: () => Effect.fail(noThreads),
      hasWritingThread: false,
      truncateWal: Effect.flatMap(isInTransaction, (isInHosts) =>
        isInHosts ? Effect.void : Effect.ignore(client.unsafe("PRAGMA wal_checkpoint(TRUNCATE)"))
      ),
      // The host backs its database up, and restores it.
      journalRemovals: Effect.void,
      status: Effect.as(
        write((sql) => sql.value("SELECT 1")),
        { writeProblem: null }
      ),
      putsOff: false,
      keepsReads: false
    })
  })

/** The database behind the host's client, with the store's tables in it under the prefix. */
export const layerOver = (
  client: HostClient,
  prefix: string,
  secrets: SecretWrapper | undefined
): Layer.Layer<Database, StoreUnavailable> => Layer.effect(Database, make(client, prefix, secrets))
