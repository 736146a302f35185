/** A synchronous connection to a SQLite database: to a file of the store, or to a host's that runs statements of the store. */
import type { Param } from "./Param.ts"

/** The read operations of a connection: all that queries need. */
export type QueryConnection = Pick<Connection, "all" | "column" | "get" | "tuples" | "value" | "valuePerKey">

export abstract class Connection {
  private atCommit: Array<() => void> = []
  private onCommit: Array<() => void> = []
  private readonly kept = new Map<symbol, unknown>()

  /** The rows that the statement returns; none where it only writes. */
  abstract all<Row>(text: string, params?: ReadonlyArray<Param>): ReadonlyArray<Row>

  /** The rows as tuples: for reads of many rows, which need no objects. */
  abstract tuples<Tuple extends ReadonlyArray<unknown>>(
    text: string,
    params?: ReadonlyArray<Param>
  ): ReadonlyArray<Tuple>

  /** The values of a query of one column. */
  abstract column<Value>(text: string, params?: ReadonlyArray<Param>): ReadonlyArray<Value>

  /** The value of a query of one column and one row; undefined without a row. */
  abstract value<Value>(text: string, params?: ReadonlyArray<Param>): Value | undefined

  /** Runs a query of one column once per number: the value of the row that it finds. */
  abstract valuePerKey<Value>(text: string, keys: ReadonlyArray<number>): ReadonlyArray<Value>

  /** The first of the rows. */
  abstract get<Row>(text: string, params?: ReadonlyArray<Param>): Row | undefined

  abstract run(text: string, params?: ReadonlyArray<Param>): void

  /** The number of the row that the statement inserts; what its triggers insert has no part in it. */
  abstract insert(text: string, params: ReadonlyArray<Param>): number

  abstract pragma(text: string): void

  /** For a connection that only reads: a number that changes when any other connection has written. */
  abstract get dataVersion(): number

  abstract get isInTransaction(): boolean

  abstract close(): void

  runAll(texts: ReadonlyArray<string>): void {
    for (const text of texts) this.run(text)
  }

  /**
   * Runs a statement once per row of parameters. FTS5 flushes its pending entries before each statement that could insert
   * several rows, so bulk inserts into its tables run row by row.
   */
  runPerRow(text: string, rows: ReadonlyArray<ReadonlyArray<Param>>): void {
    for (const params of rows) this.run(text, params)
  }

  /** The number of rows that this connection has changed. */
  get changes(): number {
    return this.value<number>("SELECT total_changes()")!
  }

  /** SQLite's setting of that name: 0 is OFF, 1 NORMAL, 2 FULL. */
  get synchronous(): number {
    return this.value<number>("PRAGMA synchronous")!
  }

  /** Runs the work at the end of the transaction, before its commit. */
  beforeCommit(rest: () => void): void {
    this.atCommit.push(rest)
  }

  /** Runs the work after the transaction's commit, and never after a rollback. */
  afterCommit(then: () => void): void {
    this.onCommit.push(then)
  }

  /** A value that belongs to the transaction, made by the first call and dropped when the transaction ends. */
  ofTransaction<A>(name: symbol, make: () => A): A {
    if (!this.kept.has(name)) this.kept.set(name, make())
    return this.kept.get(name) as A
  }

  /** Reads until `endReading` see one state of the file. */
  beginReading(): void {
    this.run("BEGIN")
  }

  endReading(): void {
    // Some failures, such as a disk that can't be read, have ended the transaction already.
    if (this.isInTransaction) this.run("COMMIT")
  }

  /** Runs the work over one state of the file. */
  snapshot<A>(work: () => A): A {
    this.beginReading()
    try {
      return work()
    } finally {
      this.endReading()
    }
  }

  /** Runs the work in one transaction: commits all that it writes, or rolls all of it back and rethrows. */
  transaction<A>(work: () => A): A {
    // A failed commit can leave its transaction open.
    if (this.isInTransaction) this.run("ROLLBACK")
    this.run("BEGIN IMMEDIATE")
    let result: A
    try {
      result = this.withinTransaction(work)
      this.run("COMMIT")
    } catch (error) {
      // Some failures, such as a full disk, have ended the transaction already.
      if (this.isInTransaction) this.run("ROLLBACK")
      throw error
    }
    for (const then of this.onCommit) then()
    return result
  }

  /** Runs the work and what it left for the end of the transaction, which the caller has begun and commits. */
  protected withinTransaction<A>(work: () => A): A {
    this.atCommit = []
    this.onCommit = []
    this.kept.clear()
    const result = work()
    for (const rest of this.atCommit) rest()
    return result
  }
}
