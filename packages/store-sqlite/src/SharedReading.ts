/**
 * Reads of one turn of one state of the file: they begin, and end, one transaction together. Nothing that this process
 * commits is missing from what is read after it; of what others commit meanwhile, some milliseconds at most.
 */
import type { Connection } from "./Connection.ts"
import type { Turns } from "./Turns.ts"

export class SharedReading {
  private readonly reader: Connection
  private readonly turns: Pick<Turns, "atEnd" | "greatestMillis">
  private begunAt: number | null = null

  constructor(reader: Connection, turns: Pick<Turns, "atEnd" | "greatestMillis">) {
    this.reader = reader
    this.turns = turns
  }

  read<A>(work: (sql: Connection) => A): A {
    if (this.begunAt !== null && performance.now() - this.begunAt > this.turns.greatestMillis) this.end()
    const begins = this.begunAt === null
    if (begins) {
      this.reader.beginReading()
      this.begunAt = performance.now()
    }
    try {
      return work(this.reader)
    } catch (error) {
      // Whoever tries again sees a state of its own.
      this.end()
      throw error
    } finally {
      if (begins) this.turns.atEnd(() => this.end())
    }
  }

  /** What is read from now on is read of the newest state. */
  end(): void {
    if (this.begunAt === null) return
    this.begunAt = null
    this.reader.endReading()
  }
}
