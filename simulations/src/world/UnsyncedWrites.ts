/** The parts of a SQLite file and its log that may not be on the disk yet, and what a loss of power leaves of them. */
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

/** Where a file says in which way it is written, and how it says that a log goes before it. */
const writeVersionAt = 18
const logged = 2

/** Whether a checkpoint has moved something from the log to the file. Without one, nothing writes the file of a log. */
const isCheckpointed = (before: Image, after: Image): boolean =>
  after.get("")![writeVersionAt] === logged && !after.get("")!.equals(before.get("")!)

const logHeader = (image: Image): Buffer => image.get("-wal")!.subarray(0, logHeaderBytes)

/** One for each SQLite file, by whose name it finds the log beside it. */
export class UnsyncedWrites {
  /** The files as they were last synced; null while everything is. */
  private synced: Image | null = null
  private isTearing = false
  /** The `synchronous` of the commit that is under way when the power is lost; null while none is. */
  private tornWith: number | null = null

  constructor(private readonly filename: () => string) {}

  /** The commit that comes next is under way when the power is lost. */
  tearNextCommit(): void {
    this.isTearing = true
  }

  /** Must be called before each commit, with the `synchronous` of its connection. */
  beforeCommit(synchronous: number): void {
    // The power goes before what the same call commits next.
    if (this.tornWith !== null) return
    if (this.isTearing) {
      this.isTearing = false
      this.tornWith = synchronous
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
    const { synced, tornWith } = this
    this.isTearing = false
    this.tornWith = null
    this.synced = null
    const written = read(filename)
    if (synced === null) return written
    // An erasure checkpoints the log after its commit, and syncs both: the power went before the commit wrote anything.
    if (tornWith !== null && tornWith > off && isCheckpointed(synced, written)) return synced
    return new Map(endings.map((ending) => [ending, torn(synced.get(ending)!, written.get(ending)!, draw)]))
  }
}
