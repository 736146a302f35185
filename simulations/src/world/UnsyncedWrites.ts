/** What of a SQLite file and its log is not on the disk for certain, and what a loss of power leaves of it. */
import type { Prng } from "@lead-signals/simulation-kernel"
import { existsSync, readFileSync } from "node:fs"
import { torn } from "./TornWrites.ts"

const endings = ["", "-wal"]

type Image = ReadonlyMap<string, Buffer>

/** The header of a log changes whenever the log begins anew, which follows a sync of the file and the log. */
const logHeaderBytes = 32

/** SQLite's settings of `PRAGMA synchronous`. */
const off = 0
const full = 2

const read = (filename: string): Image =>
  new Map(
    endings.map((ending) => [
      ending,
      existsSync(filename + ending) ? readFileSync(filename + ending) : Buffer.alloc(0)
    ])
  )

const logHeader = (image: Image): Buffer => image.get("-wal")!.subarray(0, logHeaderBytes)

export class UnsyncedWrites {
  /** The files as they were last synced; null while everything is. */
  private synced: Image | null = null
  private isTearing = false

  constructor(private readonly filename: () => string) {}

  /** The commit that comes next is under way when the power is lost. */
  tearNextCommit(): void {
    this.isTearing = true
  }

  /** Must be called before each commit, with the `synchronous` of its connection. */
  beforeCommit(synchronous: number): void {
    if (this.isTearing) {
      this.isTearing = false
      this.synced ??= read(this.filename())
      return
    }
    if (synchronous >= full) {
      // It syncs the log, and with it every commit before.
      this.synced = null
      return
    }
    if (this.synced === null) this.synced = read(this.filename())
    else if (synchronous > off) {
      const now = read(this.filename())
      if (!logHeader(now).equals(logHeader(this.synced))) this.synced = now
    }
  }

  /** The contents of the files, by their endings, that a loss of power leaves; nothing is unsynced from then on. */
  survivors(filename: string, draw: Prng): Image {
    const { synced } = this
    this.isTearing = false
    this.synced = null
    const written = read(filename)
    if (synced === null) return written
    return new Map(endings.map((ending) => [ending, torn(synced.get(ending)!, written.get(ending)!, draw)]))
  }
}
