/** A host's own client, for a store that is a part of the host's database. */
import { Effect, Exit, type Scope } from "effect"
import { DriverConnection } from "../connection/DriverConnection.ts"
import { type HostClient, hostTransaction, type HostTransaction } from "../connection/HostClient.ts"

const transactionOf = (connection: DriverConnection): HostTransaction => ({
  execute: (sql, params) => Effect.sync(() => connection.all(sql, params as ReadonlyArray<string>)),
  executeRaw: (sql, params) =>
    Effect.sync(() => {
      connection.all(sql, params as ReadonlyArray<string>)
      return {
        get lastInsertRowid() {
          return connection.value<number>("SELECT last_insert_rowid()")
        }
      }
    }),
  executeValues: (sql, params) => Effect.sync(() => connection.tuples(sql, params as ReadonlyArray<string>))
})

/** Does of a client of `@effect/sql-sqlite-node` what the store uses: transactions end within one step. */
const clientOf = (connection: DriverConnection, beforeCommit: () => void): HostClient => {
  const transaction = [transactionOf(connection), 0] as const
  return {
    withTransaction: <R, E, A>(effect: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        connection.run("BEGIN IMMEDIATE")
        const changes = connection.changes
        return Effect.flatMap(
          Effect.exit(Effect.provideService(effect, hostTransaction, transaction)),
          (exit) =>
            Effect.suspend(() => {
              try {
                if (Exit.isSuccess(exit) && connection.changes > changes) beforeCommit()
              } catch (failure) {
                connection.run("ROLLBACK")
                return Effect.die(failure)
              }
              connection.run(Exit.isSuccess(exit) ? "COMMIT" : "ROLLBACK")
              return exit
            })
        )
      }).pipe(Effect.uninterruptible) as Effect.Effect<A, E, R>,
    unsafe: (sql) => Effect.sync(() => connection.all(sql))
  }
}

/** A client of a host over the file, until its scope ends. `beforeCommit` runs when all of a transaction that writes is written. */
export const hostClient = (
  filename: string,
  beforeCommit: () => void
): Effect.Effect<HostClient, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const connection = new DriverConnection(filename, { readonly: false, busyMillis: 0 })
      connection.pragma("journal_mode = WAL")
      connection.pragma("synchronous = OFF")
      return connection
    }),
    (connection) => Effect.sync(() => connection.close())
  ).pipe(Effect.map((connection) => clientOf(connection, beforeCommit)))
