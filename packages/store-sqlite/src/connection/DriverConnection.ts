/** A connection to a SQLite file by the driver, which prepares each statement once. */
import type BetterSqlite3 from "better-sqlite3"
import { Connection } from "./Connection.ts"
import { openDatabase } from "./Driver.ts"
import type { Param } from "./Param.ts"

type Statement = BetterSqlite3.Statement<Array<Param>>
type Tuple = ReadonlyArray<unknown>

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

export class DriverConnection extends Connection {
  private readonly prepared = new Map<string, Prepared>()
  /** Statements that return the only value of each row. */
  private readonly ofValues = new Map<string, Statement>()
  private readonly db: BetterSqlite3.Database

  constructor(filename: string, options: { readonly readonly: boolean; readonly busyMillis: number }) {
    super()
    this.db = openDatabase(filename, { readonly: options.readonly, timeout: options.busyMillis })
  }

  private statement(text: string): Prepared {
    const known = this.prepared.get(text)
    if (known !== undefined) return known
    forgetTooMany(this.prepared)
    const statement = this.db.prepare<Array<Param>>(text)
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
    const made = this.db.prepare<Array<Param>>(text).pluck()
    this.ofValues.set(text, made)
    return made
  }

  override all<Row>(text: string, params: ReadonlyArray<Param> = []): ReadonlyArray<Row> {
    const { names, statement } = this.statement(text)
    if (statement.reader) {
      return (statement.all(...params) as Array<Tuple>).map((tuple) => objectOf(names, tuple)) as Array<Row>
    }
    statement.run(...params)
    return []
  }

  override tuples<Tuple extends ReadonlyArray<unknown>>(
    text: string,
    params: ReadonlyArray<Param> = []
  ): ReadonlyArray<Tuple> {
    return this.statement(text).statement.all(...params) as unknown as ReadonlyArray<Tuple>
  }

  override column<Value>(text: string, params: ReadonlyArray<Param> = []): ReadonlyArray<Value> {
    return this.valueStatement(text).all(...params) as ReadonlyArray<Value>
  }

  override value<Value>(text: string, params: ReadonlyArray<Param> = []): Value | undefined {
    return this.valueStatement(text).get(...params) as Value | undefined
  }

  override valuePerKey<Value>(text: string, keys: ReadonlyArray<number>): ReadonlyArray<Value> {
    const statement = this.valueStatement(text)
    return keys.map((key) => statement.get(key)) as ReadonlyArray<unknown> as ReadonlyArray<Value>
  }

  override get<Row>(text: string, params: ReadonlyArray<Param> = []): Row | undefined {
    const { names, statement } = this.statement(text)
    const tuple = statement.get(...params) as Tuple | undefined
    return tuple === undefined ? undefined : (objectOf(names, tuple) as Row)
  }

  override run(text: string, params: ReadonlyArray<Param> = []): void {
    this.statement(text).statement.run(...params)
  }

  override insert(text: string, params: ReadonlyArray<Param>): number {
    return Number(this.statement(text).statement.run(...params).lastInsertRowid)
  }

  override pragma(text: string): void {
    this.db.pragma(text)
  }

  override get dataVersion(): number {
    return this.valueStatement("PRAGMA data_version").get() as number
  }

  override get isInTransaction(): boolean {
    return this.db.inTransaction
  }

  override close(): void {
    this.prepared.clear()
    this.ofValues.clear()
    this.db.close()
  }
}
