/** A connection to a SQLite file, whose statements are prepared once. All of it is synchronous: SQLite is. */
import BetterSqlite3 from "better-sqlite3"

export type Param = string | number | null

/** Of more statements than any one program has, something makes new ones without end: all are let go. */
const greatestPrepared = 2000

export class Connection {
  private readonly prepared = new Map<string, BetterSqlite3.Statement<Array<Param>>>()
  private readonly db: BetterSqlite3.Database
  readonly isReadonly: boolean
  private atCommit: Array<() => void> = []

  constructor(filename: string, options: { readonly readonly: boolean; readonly busyMillis: number }) {
    this.isReadonly = options.readonly
    this.db = new BetterSqlite3(filename, { readonly: options.readonly, timeout: options.busyMillis })
  }

  private statement(text: string): BetterSqlite3.Statement<Array<Param>> {
    const known = this.prepared.get(text)
    if (known !== undefined) return known
    if (this.prepared.size >= greatestPrepared) this.prepared.clear()
    const made = this.db.prepare<Array<Param>>(text)
    this.prepared.set(text, made)
    return made
  }

  /** The rows that the statement gives; none of one that only writes. */
  all<Row>(text: string, params: ReadonlyArray<Param> = []): ReadonlyArray<Row> {
    const statement = this.statement(text)
    if (statement.reader) return statement.all(...params) as Array<Row>
    statement.run(...params)
    return []
  }

  /** The values of a statement of one column, which it is prepared for. */
  column<Value>(text: string, params: ReadonlyArray<Param> = []): ReadonlyArray<Value> {
    return this.statement(text)
      .pluck()
      .all(...params) as Array<Value>
  }

  /** The first of them. */
  get<Row>(text: string, params: ReadonlyArray<Param> = []): Row | undefined {
    return this.statement(text).get(...params) as Row | undefined
  }

  run(text: string, params: ReadonlyArray<Param> = []): void {
    this.statement(text).run(...params)
  }

  /** The number of the row that the statement inserts; what its triggers insert has no part in it. */
  insert(text: string, params: ReadonlyArray<Param>): number {
    return Number(this.statement(text).run(...params).lastInsertRowid)
  }

  pragma(text: string): void {
    this.db.pragma(text)
  }

  /** How many rows this connection has changed since it was opened. */
  get changes(): number {
    return this.get<{ n: number }>("SELECT total_changes() AS n")!.n
  }

  /** Of a connection that only reads: it changes when any other has written. */
  get dataVersion(): number {
    return this.get<{ data_version: number }>("PRAGMA data_version")!.data_version
  }

  get isInTransaction(): boolean {
    return this.db.inTransaction
  }

  /** Does the rest of the transaction's work when all else of it is done. */
  beforeCommit(rest: () => void): void {
    this.atCommit.push(rest)
  }

  /**
   * Runs the work over one state of the file: all that it writes is committed, or nothing. `immediate`: nobody else writes
   * from its beginning on.
   */
  transaction<A>(kind: "deferred" | "immediate", work: () => A): A {
    // What a commit that failed has left open.
    if (this.isInTransaction) this.run("ROLLBACK")
    this.run(kind === "immediate" ? "BEGIN IMMEDIATE" : "BEGIN")
    this.atCommit = []
    try {
      const result = work()
      for (const rest of this.atCommit) rest()
      this.run("COMMIT")
      return result
    } catch (error) {
      // A full disk, for one, ends the transaction by itself.
      if (this.isInTransaction) this.run("ROLLBACK")
      throw error
    }
  }

  close(): void {
    this.prepared.clear()
    this.db.close()
  }
}
