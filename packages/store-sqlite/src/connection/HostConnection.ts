/** A connection that runs statements within a host's transaction, over a `SqlClient` of `@effect/sql-sqlite-node`. */
import type { SqlClient } from "@effect/sql"
import { Cause, type Effect, Exit, Runtime } from "effect"
import { Connection } from "./Connection.ts"
import type { Param } from "./Param.ts"

type Statement = ReturnType<SqlClient.SqlClient["unsafe"]>

/** What the driver threw, of which `SqlError` is an envelope. */
const driversOf = (failure: unknown): unknown => (failure as { readonly cause?: unknown }).cause ?? failure

/** How often a connection was asked for its data's version. */
let versions = 0

export class HostConnection extends Connection {
  private readonly sql: SqlClient.SqlClient
  private readonly runtime: Runtime.Runtime<never>

  /** The runtime is that of an effect within the host's transaction, which its context holds. */
  constructor(sql: SqlClient.SqlClient, runtime: Runtime.Runtime<never>) {
    super()
    this.sql = sql
    this.runtime = runtime
  }

  /** Runs the work as a part of the transaction, which the host commits: what the work left for after the commit is dropped. */
  within<A>(work: (sql: Connection) => A): A {
    return this.withinTransaction(() => work(this))
  }

  /** The client runs statements of a transaction at once. */
  private runSync<A, E>(effect: Effect.Effect<A, E>): A {
    const exit = Runtime.runSyncExit(this.runtime)(effect)
    if (Exit.isSuccess(exit)) return exit.value
    throw driversOf(Cause.squash(exit.cause))
  }

  private statement(text: string, params: ReadonlyArray<Param>): Statement {
    return this.sql.unsafe(text, params)
  }

  override all<Row>(text: string, params: ReadonlyArray<Param> = []): ReadonlyArray<Row> {
    return this.runSync(this.statement(text, params).withoutTransform) as unknown as ReadonlyArray<Row>
  }

  override tuples<Tuple extends ReadonlyArray<unknown>>(
    text: string,
    params: ReadonlyArray<Param> = []
  ): ReadonlyArray<Tuple> {
    return this.runSync(this.statement(text, params).values) as unknown as ReadonlyArray<Tuple>
  }

  override column<Value>(text: string, params: ReadonlyArray<Param> = []): ReadonlyArray<Value> {
    return this.tuples<readonly [Value]>(text, params).map(([value]) => value)
  }

  override value<Value>(text: string, params: ReadonlyArray<Param> = []): Value | undefined {
    return this.column<Value>(text, params)[0]
  }

  override valuePerKey<Value>(text: string, keys: ReadonlyArray<number>): ReadonlyArray<Value> {
    return keys.map((key) => this.value(text, [key]) as Value)
  }

  override get<Row>(text: string, params: ReadonlyArray<Param> = []): Row | undefined {
    return this.all<Row>(text, params)[0]
  }

  override run(text: string, params: ReadonlyArray<Param> = []): void {
    this.runSync(this.statement(text, params).raw)
  }

  override insert(text: string, params: ReadonlyArray<Param>): number {
    const { lastInsertRowid } = this.runSync(this.statement(text, params).raw) as {
      readonly lastInsertRowid: number
    }
    return Number(lastInsertRowid)
  }

  override pragma(text: string): void {
    this.all(`PRAGMA ${text}`)
  }

  /** Another number each time: this connection writes, which SQLite's number does not show, so that nothing may be kept by it. */
  override get dataVersion(): number {
    return ++versions
  }

  override get isInTransaction(): boolean {
    return true
  }

  override close(): void {}
}
