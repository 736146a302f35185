/**
 * Reads of one turn of one state of the file: they begin, and end, one transaction together. Nothing that this process
 * commits is missing from what is read after it; of what others commit meanwhile, some milliseconds at most.
 */
import type { Connection } from "./Connection.ts"
import type { TickScheduler } from "./TickScheduler.ts"

export class SharedSnapshot {
  private readonly reader: Connection
  private readonly ticks: Pick<TickScheduler, "atEnd" | "maxMillis">
  private begunAt: number | null = null

  constructor(reader: Connection, ticks: Pick<TickScheduler, "atEnd" | "maxMillis">) {
    this.reader = reader
    this.ticks = ticks
  }

  read<A>(work: (sql: Connection) => A): A {
    if (this.begunAt !== null && performance.now() - this.begunAt > this.ticks.maxMillis) this.end()
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
      if (begins) this.ticks.atEnd(() => this.end())
    }
  }

  /** What is read from now on is read of the newest state. */
  end(): void {
    if (this.begunAt === null) return
    this.begunAt = null
    this.reader.endReading()
  }
}
