/** A synchronous connection to a SQLite database: its statements, and what goes with a transaction. */

/** A parameter of a statement. */
export type Param = string | number | null

/** The values of a row, in the order of the columns. */
export type Tuple = ReadonlyArray<unknown>

/** The read operations of a connection: all that queries need. */
export type QueryConnection = Pick<Connection, "all" | "column" | "get" | "tuples" | "value" | "valuePerKey">

/** Runs statements within a transaction, which the store or its host has begun. */
export abstract class Connection {
  private atCommit: Array<() => void> = []
  private onCommit: Array<() => void> = []
  private readonly kept = new Map<symbol, unknown>()

  /** The rows that the statement returns; none where it only writes. */
  abstract all<Row>(text: string, params?: ReadonlyArray<Param>): ReadonlyArray<Row>

  /** The rows as tuples: for reads of many rows, which need no objects. */
  abstract tuples<Row extends Tuple>(text: string, params?: ReadonlyArray<Param>): ReadonlyArray<Row>

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

  /** The number of rows that this connection has changed. */
  abstract get changes(): number

  /** For a connection that only reads: a number that changes when any other connection has written. */
  abstract get dataVersion(): number

  /** The name under which the database has the table. */
  abstract nameOf(table: string): string

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

  /** Runs the work and what it leaves to the end of the transaction. Returns its result, and what is to follow the commit. */
  protected withEnd<A>(work: () => A): { readonly result: A; readonly following: ReadonlyArray<() => void> } {
    this.atCommit = []
    this.onCommit = []
    this.kept.clear()
    const result = work()
    for (const rest of this.atCommit) rest()
    return { result, following: this.onCommit }
  }
}
