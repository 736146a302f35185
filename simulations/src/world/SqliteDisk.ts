/** A disk of SQLite files, for hosts that have files: `NoSqliteDisk` stands for it in a browser. */
import * as SqliteStore from "@lead-signals/store-sqlite"
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, type Disk, type Opened } from "./Disk.ts"

/** A new file for all, made once: migrating an empty file takes longer than a short run. By the endings of its files. */
let template: ReadonlyMap<string, Buffer> | null = null

const endings = ["", "-wal", "-limits", "-limits-wal"]

const copy = (from: string, to: string): void => {
  for (const ending of endings) if (existsSync(from + ending)) copyFileSync(from + ending, to + ending)
}

const folderOfRuns = (): string =>
  mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "lead-signals-run-"))

const layerOf = (filename: string, beforeCommit: () => void = () => {}) =>
  SqliteStore.layer({
    filename,
    synced: false,
    beforeCommit,
    ticks: SqliteStore.TickScheduler.none,
    groupMillis: Number.POSITIVE_INFINITY,
    maxEffort: Infinity
  })

const makeTemplate = (): ReadonlyMap<string, Buffer> => {
  const folder = folderOfRuns()
  const file = join(folder, "template.sqlite")
  build(layerOf(file)).close()
  const files = endings.filter((ending) => existsSync(file + ending))
  const made = new Map(files.map((ending) => [ending, readFileSync(file + ending)]))
  rmSync(folder, { recursive: true, force: true })
  return made
}

/**
 * SQLite files. A kill leaves them as they are at that moment, log and all, an open transaction in it: the next process
 * opens a copy of them, while those of the dead are closed and thrown away.
 */
export const sqlite = (): Disk => {
  const folder = folderOfRuns()
  let generation = 0
  const filename = (): string => join(folder, `${generation}.sqlite`)
  let opened: Opened | null = null
  let dying: (() => void) | null = null
  template ??= makeTemplate()
  for (const [ending, bytes] of template) writeFileSync(filename() + ending, bytes, { mode: 0o600 })
  const beforeCommit = (): void => {
    if (dying === null) return
    const die = dying
    dying = null
    die()
    throw new Error("The process that would commit is gone.")
  }
  return {
    dieWithin: (die) => {
      dying = die
    },
    open: () => {
      opened = build(layerOf(filename(), beforeCommit))
      return opened.context
    },
    crash: () => {
      dying = null
      const left = filename()
      generation++
      copy(left, filename())
      opened?.close()
      opened = null
      for (const ending of endings) rmSync(left + ending, { force: true })
    },
    discard: () => {
      opened?.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
