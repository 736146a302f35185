/**
 * What the store uses of a client of `@effect/sql-sqlite-node`, by its shape: a program without one need not have its packages.
 */
import { Context, type Effect } from "effect"

/** The client's failure; `cause` is SQLite's own. */
export interface HostFailure {
  readonly cause?: unknown
}

/** The connection of a transaction. Its effects never wait. */
export interface HostTransaction {
  readonly execute: (
    sql: string,
    params: ReadonlyArray<unknown>,
    transformRows: undefined
  ) => Effect.Effect<ReadonlyArray<unknown>, HostFailure>
  readonly executeRaw: (sql: string, params: ReadonlyArray<unknown>) => Effect.Effect<unknown, HostFailure>
  readonly executeValues: (
    sql: string,
    params: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, HostFailure>
}

/** `SqlClient` of `@effect/sql`, as `SqliteClient.layer` of `@effect/sql-sqlite-node` makes it. */
export interface HostClient {
  readonly withTransaction: <R, E, A>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | HostFailure, R>
  readonly unsafe: (sql: string) => Effect.Effect<unknown, HostFailure>
}

/** The tag, by its key, under which the client puts its transaction into the context of the work. */
export const hostTransaction = Context.GenericTag<
  "@effect/sql/SqlClient/TransactionConnection",
  readonly [connection: HostTransaction, depth: number]
>("@effect/sql/SqlClient/TransactionConnection")
