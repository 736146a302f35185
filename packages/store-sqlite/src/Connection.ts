/** A connection to a SQLite file, whose statements are prepared once. All of it is synchronous: SQLite is. */
import BetterSqlite3 from "better-sqlite3"
import type { EachQuestion, Question, Shape } from "./Asking.ts"

export type Param = string | number | null

type Statement = BetterSqlite3.Statement<Array<Param>>

/** Of more statements than any one program has, something makes new ones without end: all are let go. */
const greatestPrepared = 2000

export class Connection {
  private readonly prepared: Readonly<Record<Shape, Map<string, Statement>>> = {
    objects: new Map(),
    tuples: new Map(),
    values: new Map()
  }
  private readonly db: BetterSqlite3.Database
  readonly isReadonly: boolean
  private atCommit: Array<() => void> = []

  constructor(filename: string, options: { readonly readonly: boolean; readonly busyMillis: number }) {
    this.isReadonly = options.readonly
    this.db = new BetterSqlite3(filename, { readonly: options.readonly, timeout: options.busyMillis })
  }

  private statement(text: string, shape: Shape = "objects"): Statement {
    const prepared = this.prepared[shape]
    const known = prepared.get(text)
    if (known !== undefined) return known
    if (prepared.size >= greatestPrepared) prepared.clear()
    const made = this.db.prepare<Array<Param>>(text)
    if (shape === "tuples") made.raw()
    if (shape === "values") made.pluck()
    prepared.set(text, made)
    return made
  }

  /** The rows that the statement gives; none of one that only writes. */
  all<Row>(text: string, params: ReadonlyArray<Param> = []): ReadonlyArray<Row> {
    const statement = this.statement(text)
    if (statement.reader) return statement.all(...params) as Array<Row>
    statement.run(...params)
    return []
  }

  /** The rows of what only reads, in the shape that is asked for. */
  shaped({ params, shape, text }: Question): ReadonlyArray<unknown> {
    return this.statement(text, shape).all(...params)
  }

  each({ each, text }: EachQuestion): ReadonlyArray<unknown> {
    const statement = this.statement(text, "values")
    return each.map((param) => statement.get(param))
  }

  /** The first of the rows. */
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
    return this.statement("SELECT total_changes()", "values").get() as number
  }

  /** Of a connection that only reads: it changes when any other has written. */
  get dataVersion(): number {
    return this.statement("PRAGMA data_version", "values").get() as number
  }

  get isInTransaction(): boolean {
    return this.db.inTransaction
  }

  /** Does the rest of the transaction's work when all else of it is done. */
  beforeCommit(rest: () => void): void {
    this.atCommit.push(rest)
  }

  /** What is read from now on until `endReading` is read of one state of the file. */
  beginReading(): void {
    this.run("BEGIN")
  }

  endReading(): void {
    // A disk that can't be read, for one, ends the transaction by itself.
    if (this.isInTransaction) this.run("COMMIT")
  }

  /** Runs the work while nobody else writes: all that it writes is committed, or nothing. */
  transaction<A>(work: () => A): A {
    // What a commit that failed has left open.
    if (this.isInTransaction) this.run("ROLLBACK")
    this.run("BEGIN IMMEDIATE")
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
    for (const each of Object.values(this.prepared)) each.clear()
    this.db.close()
  }
}
