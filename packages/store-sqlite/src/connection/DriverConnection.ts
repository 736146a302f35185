/** A connection to a SQLite file by better-sqlite3, which prepares each statement once. */
import type BetterSqlite3 from "better-sqlite3"
import { Connection, type Param, type Tuple } from "./Connection.ts"
import { openDatabase } from "./Driver.ts"
import type { FileKey } from "./FileKey.ts"

type Statement = BetterSqlite3.Statement<Array<Param>>

/** A statement that returns tuples, and the names of their columns; none where it returns no rows. */
interface Prepared {
  readonly statement: Statement
  readonly names: ReadonlyArray<string>
}

/** Objects of many columns made here take half the time of the driver's. */
const objectOf = (names: ReadonlyArray<string>, tuple: Tuple): object => {
  const row: Record<string, unknown> = {}
  for (let i = 0; i < names.length; i++) row[names[i]!] = tuple[i]
  return row
}

/** The bound on prepared statements. A program has fewer, so one that reaches it makes new ones without end; all are dropped. */
const maxPrepared = 2000

const forgetTooMany = (prepared: Map<string, unknown>): void => {
  if (prepared.size >= maxPrepared) prepared.clear()
}

/**
 * The driver clears what is bound after each run, and SQLite then prepares each statement anew whose plan a bound value could change: one
 * with a limit, or with an equality beside an order. That costs more than finding a row. It looks at no value behind a sign, which changes
 * no value.
 */
const preparedOnce = (text: string): string => text.replaceAll(/(= |LIMIT |OFFSET )\?/g, "$1+?")

/** A connection of its own over the driver: prepares statements once, and begins and ends transactions. */
export class DriverConnection extends Connection {
  private readonly prepared = new Map<string, Prepared>()
  /** Statements that return the only value of each row. */
  private readonly ofValues = new Map<string, Statement>()
  private readonly db: BetterSqlite3.Database
  private isReading = false
  /** The number of the state that is read: that stays the same until `endReading`, and a first look at the number begins it. */
  private versionOfReading: number | null = null

  constructor(
    filename: string,
    options: { readonly readonly: boolean; readonly busyMillis: number; readonly key?: FileKey | undefined }
  ) {
    super()
    this.db = openDatabase(filename, { readonly: options.readonly, timeout: options.busyMillis }, options.key)
  }

  private statement(text: string): Prepared {
    const known = this.prepared.get(text)
    if (known !== undefined) return known
    forgetTooMany(this.prepared)
    const statement = this.db.prepare<Array<Param>>(preparedOnce(text))
    const made = {
      statement: statement.reader ? statement.raw() : statement,
      names: statement.reader ? statement.columns().map(({ name }) => name) : []
    }
    this.prepared.set(text, made)
    return made
  }

  private valueStatement(text: string): Statement {
    const known = this.ofValues.get(text)
    if (known !== undefined) return known
    forgetTooMany(this.ofValues)
    const made = this.db.prepare<Array<Param>>(preparedOnce(text)).pluck()
    this.ofValues.set(text, made)
    return made
  }

  /** The rows that the statement returns; none where it only writes. */
  all<Row>(text: string, params: ReadonlyArray<Param> = []): ReadonlyArray<Row> {
    const { names, statement } = this.statement(text)
    if (statement.reader) {
      return (statement.all(...params) as Array<Tuple>).map((tuple) => objectOf(names, tuple)) as Array<Row>
    }
    statement.run(...params)
    return []
  }

  /** The rows as tuples: for reads of many rows, which need no objects. */
  tuples<Tuple extends ReadonlyArray<unknown>>(
    text: string,
    params: ReadonlyArray<Param> = []
  ): ReadonlyArray<Tuple> {
    return this.statement(text).statement.all(...params) as unknown as ReadonlyArray<Tuple>
  }

  /** The values of a query of one column. */
  column<Value>(text: string, params: ReadonlyArray<Param> = []): ReadonlyArray<Value> {
    return this.valueStatement(text).all(...params) as ReadonlyArray<Value>
  }

  /** The value of a query of one column and one row; undefined without a row. */
  value<Value>(text: string, params: ReadonlyArray<Param> = []): Value | undefined {
    return this.valueStatement(text).get(...params) as Value | undefined
  }

  /** Runs a query of one column once per number: the value of the row that it finds. */
  valuePerKey<Value>(text: string, keys: ReadonlyArray<number>): ReadonlyArray<Value> {
    const statement = this.valueStatement(text)
    return keys.map((key) => statement.get(key)) as ReadonlyArray<unknown> as ReadonlyArray<Value>
  }

  /** The first of the rows. */
  get<Row>(text: string, params: ReadonlyArray<Param> = []): Row | undefined {
    const { names, statement } = this.statement(text)
    const tuple = statement.get(...params) as Tuple | undefined
    return tuple === undefined ? undefined : (objectOf(names, tuple) as Row)
  }

  run(text: string, params: ReadonlyArray<Param> = []): void {
    this.statement(text).statement.run(...params)
  }

  /** The number of the row that the statement inserts; what its triggers insert has no part in it. */
  insert(text: string, params: ReadonlyArray<Param>): number {
    return Number(this.statement(text).statement.run(...params).lastInsertRowid)
  }

  pragma(text: string): void {
    this.db.pragma(text)
  }

  /** The number of rows that this connection has changed. */
  get changes(): number {
    return this.valueStatement("SELECT total_changes()").get() as number
  }

  /** For a connection that only reads: a number that changes when any other connection has written. */
  get dataVersion(): number {
    if (!this.isReading) return this.readDataVersion()
    return (this.versionOfReading ??= this.readDataVersion())
  }

  private readDataVersion(): number {
    return this.valueStatement("PRAGMA data_version").get() as number
  }

  /** SQLite's setting of that name: 0 is OFF, 1 NORMAL, 2 FULL. */
  get synchronous(): number {
    return this.valueStatement("PRAGMA synchronous").get() as number
  }

  get isInTransaction(): boolean {
    return this.db.inTransaction
  }

  /** Reads until `endReading` see one state of the file. */
  beginReading(): void {
    this.run("BEGIN")
    this.isReading = true
  }

  endReading(): void {
    this.isReading = false
    this.versionOfReading = null
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
    let ended: { readonly result: A; readonly following: ReadonlyArray<() => void> }
    try {
      ended = this.withEnd(work)
      this.run("COMMIT")
    } catch (error) {
      // Some failures, such as a full disk, have ended the transaction already.
      if (this.isInTransaction) this.run("ROLLBACK")
      throw error
    }
    for (const next of ended.following) next()
    return ended.result
  }

  /** Tables have the names of the schema. */
  nameOf(table: string): string {
    return table
  }

  close(): void {
    this.prepared.clear()
    this.ofValues.clear()
    this.db.close()
  }
}
