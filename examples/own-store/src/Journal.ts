/**
 * Tables of JSON values, kept in memory and in a file: a transaction is one line, which is there as a whole or not at all. The
 * tables are read from the file when it is opened.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync
} from "node:fs"

/** A value of null takes the row away. */
type Change = readonly [table: string, key: string, value: unknown]

export interface Table<Row> {
  readonly get: (key: string) => Row | undefined
  /** Every row, in no order. */
  readonly all: () => Array<Row>
  readonly put: (key: string, row: Row) => Row
  readonly remove: (key: string) => void
}

/** The file can't be written. Nothing of the transaction is kept. */
export class WriteFailed extends Error {
  override readonly name = "WriteFailed"
}

export class Journal {
  private readonly file: string
  private readonly isSynced: boolean
  private readonly tables = new Map<string, Map<string, unknown>>()
  private descriptor: number
  /** In bytes, up to the end of the last transaction. */
  private length: number
  /** The rows before each change of the transaction under way; null between transactions. */
  private undo: Array<Change> | null = null

  /** `isSynced`: whether a transaction waits until it would survive a loss of power. */
  constructor(file: string, isSynced: boolean) {
    this.file = file
    this.isSynced = isSynced
    const text = existsSync(file) ? readFileSync(file, "utf8") : ""
    // What follows the last line break was being written when the process was killed: it was never promised.
    const whole = text.slice(0, text.lastIndexOf("\n") + 1)
    for (const line of whole.split("\n").slice(0, -1)) {
      for (const change of JSON.parse(line) as ReadonlyArray<Change>) this.apply(change)
    }
    this.descriptor = openSync(file, "a")
    this.length = Buffer.byteLength(whole)
    ftruncateSync(this.descriptor, this.length)
  }

  table<Row>(name: string): Table<Row> {
    const rows = () => this.tables.get(name) as Map<string, Row> | undefined
    return {
      get: (key) => rows()?.get(key),
      all: () => [...(rows()?.values() ?? [])],
      put: (key, row) => {
        this.change([name, key, row])
        return row
      },
      remove: (key) => this.change([name, key, null])
    }
  }

  /**
   * All that `work` changes, or nothing of it when it throws. It must not wait for anything: so transactions never mix.
   * `isErasure`: the file is written anew, since the lines of an erased person would stay in it.
   */
  transact<A>(work: () => A, isErasure = false): A {
    this.undo = []
    try {
      const answer = work()
      const keys = new Map(
        this.undo.map(([table, key]) => [JSON.stringify([table, key]), [table, key] as const])
      )
      const changes = [...keys.values()].map(([table, key]): Change => [table, key, this.rowOf(table, key)])
      if (isErasure) this.rewrite()
      else if (changes.length > 0) this.append(changes)
      return answer
    } catch (failure) {
      for (const before of this.undo.reverse()) this.apply(before)
      throw failure
    } finally {
      this.undo = null
    }
  }

  close(): void {
    closeSync(this.descriptor)
  }

  private rowOf(table: string, key: string): unknown {
    return this.tables.get(table)?.get(key) ?? null
  }

  private change([table, key, row]: Change): void {
    if (this.undo === null) throw new Error("Rows can be changed only in a transaction")
    this.undo.push([table, key, this.rowOf(table, key)])
    this.apply([table, key, row])
  }

  private apply([table, key, row]: Change): void {
    const rows = this.tables.get(table) ?? new Map<string, unknown>()
    if (row === null) rows.delete(key)
    else rows.set(key, row)
    this.tables.set(table, rows)
  }

  private append(changes: ReadonlyArray<Change>): void {
    const line = `${JSON.stringify(changes)}\n`
    try {
      writeFileSync(this.descriptor, line)
      if (this.isSynced) fsyncSync(this.descriptor)
      this.length += Buffer.byteLength(line)
    } catch (cause) {
      // Half a line would spoil the next one.
      ftruncateSync(this.descriptor, this.length)
      throw new WriteFailed("The file can't be written.", { cause })
    }
  }

  private rewrite(): void {
    const lines = [...this.tables].flatMap(([table, rows]) =>
      [...rows].map(([key, row]) => `${JSON.stringify([[table, key, row]])}\n`)
    )
    const text = lines.join("")
    const next = `${this.file}.next`
    try {
      writeFileSync(next, text, { flush: this.isSynced })
      renameSync(next, this.file)
      closeSync(this.descriptor)
      this.descriptor = openSync(this.file, "a")
      this.length = Buffer.byteLength(text)
    } catch (cause) {
      throw new WriteFailed("The file can't be rewritten.", { cause })
    }
  }
}
