/**
 * The connection of a host: the statements of the store run on a client of `@effect/sql-sqlite-node`, within the host's own
 * transaction. The client's statements are effects that end at once, so the store's synchronous work can run them.
 */
import { Cause, Effect, Exit, Option } from "effect"
import { Connection, type Param, type Tuple } from "./Connection.ts"
import type { HostFailure, HostTransaction } from "./HostClient.ts"
import { prefixed } from "./TablePrefix.ts"

/** The bound on prefixed statements; all are dropped there, as in `DriverConnection`. */
const maxStatements = 2000

/** Runs an effect of the client, which never waits. Throws SQLite's own error. */
const now = <A>(effect: Effect.Effect<A, HostFailure>): A => {
  const exit = Effect.runSyncExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Option.getOrNull(Cause.failureOption(exit.cause))
  throw failure === null ? Cause.squash(exit.cause) : failure.cause
}

/** Runs the store's statements on a connection of the host, with its prefix before each table. */
export class HostConnection extends Connection {
  private readonly prefix: string
  private readonly statements = new Map<string, string>()
  private client: HostTransaction | null = null

  constructor(prefix: string) {
    super()
    this.prefix = prefix
  }

  /** Runs the work on the connection of the host's transaction. What it throws is the caller's reason to roll back. */
  within<A>(client: HostTransaction, work: (sql: Connection) => A): A {
    this.client = client
    try {
      return this.withEnd(() => work(this)).result
    } finally {
      this.client = null
    }
  }

  private textOf(statement: string): string {
    const known = this.statements.get(statement)
    if (known !== undefined) return known
    if (this.statements.size >= maxStatements) this.statements.clear()
    const made = prefixed(this.prefix, statement)
    this.statements.set(statement, made)
    return made
  }

  all<Row>(text: string, params: ReadonlyArray<Param> = []): ReadonlyArray<Row> {
    return now(this.client!.execute(this.textOf(text), params, undefined)) as ReadonlyArray<Row>
  }

  tuples<Row extends Tuple>(text: string, params: ReadonlyArray<Param> = []): ReadonlyArray<Row> {
    return now(this.client!.executeValues(this.textOf(text), params)) as unknown as ReadonlyArray<Row>
  }

  column<Value>(text: string, params: ReadonlyArray<Param> = []): ReadonlyArray<Value> {
    return this.tuples<[Value]>(text, params).map(([value]) => value)
  }

  value<Value>(text: string, params: ReadonlyArray<Param> = []): Value | undefined {
    return this.column<Value>(text, params)[0]
  }

  valuePerKey<Value>(text: string, keys: ReadonlyArray<number>): ReadonlyArray<Value> {
    return keys.map((key) => this.value<Value>(text, [key])!)
  }

  get<Row>(text: string, params: ReadonlyArray<Param> = []): Row | undefined {
    return this.all<Row>(text, params)[0]
  }

  run(text: string, params: ReadonlyArray<Param> = []): void {
    now(this.client!.executeRaw(this.textOf(text), params))
  }

  insert(text: string, params: ReadonlyArray<Param>): number {
    const done = now(this.client!.executeRaw(this.textOf(text), params)) as { lastInsertRowid: number }
    return Number(done.lastInsertRowid)
  }

  get changes(): number {
    return this.value<number>("SELECT total_changes()")!
  }

  /** The host's own writes do not change SQLite's number: nothing may be kept by it. */
  get dataVersion(): number {
    return Number.NaN
  }

  nameOf(table: string): string {
    return `${this.prefix}${table}`
  }
}
