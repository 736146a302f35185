/**
 * Reads of one tick share one read transaction, and with it one state of the file. A read sees all that this process has
 * committed before; commits of other processes can be missing for some milliseconds.
 */
import type { Connection } from "./Connection.ts"
import type { DriverConnection } from "./DriverConnection.ts"
import type { TickScheduler } from "./TickScheduler.ts"

/** One snapshot for all reads of one tick. */
export class SharedSnapshot {
  private readonly reader: DriverConnection
  private readonly ticks: Pick<TickScheduler, "atEnd" | "maxMillis">
  private begunAt: number | null = null

  constructor(reader: DriverConnection, ticks: Pick<TickScheduler, "atEnd" | "maxMillis">) {
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
      // A retry begins a snapshot of its own.
      this.end()
      throw error
    } finally {
      if (begins) this.ticks.atEnd(() => this.end())
    }
  }

  /** Ends the snapshot: the next read sees the newest state. */
  end(): void {
    if (this.begunAt === null) return
    this.begunAt = null
    this.reader.endReading()
  }
}
