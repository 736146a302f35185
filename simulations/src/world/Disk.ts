/** What a service keeps its data on, and what a kill leaves of that. */
import * as MemoryStore from "@lead-signals/store-memory"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Stores } from "./StorePorts.ts"

export interface Disk {
  /**
   * Lets the process die within its next transaction, when all of it is written and nothing committed; null where a call is
   * one step, and has no middle.
   */
  readonly dieWithin: ((die: () => void) => void) | null
  /** Opens the store on what is kept: when a process starts. */
  readonly open: () => Context.Context<Stores>
  /** The process that opened it is gone, with whatever it had not committed. */
  readonly crash: () => void
  /** The run is over. */
  readonly discard: () => void
}

interface Opened {
  readonly context: Context.Context<Stores>
  readonly close: () => void
}

/** As the harness does it, not as a part of the history: it takes no turn. */
const build = (layer: Layer.Layer<Stores, unknown>): Opened =>
  Effect.runSync(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(layer, scope)
      return { context, close: () => Effect.runSync(Scope.close(scope, Exit.void)) }
    })
  )

/** A store that is asked for anew at each start, over what it keeps by itself. */
export const own = (layer: () => Layer.Layer<Stores, unknown>): Disk => {
  const opened: Array<Opened> = []
  return {
    dieWithin: null,
    open: () => {
      const next = build(layer())
      opened.push(next)
      return next.context
    },
    crash: () => {},
    discard: () => {
      for (const each of opened) each.close()
    }
  }
}

export const memory = (): Disk => {
  const kept = new MemoryStore.Memory()
  return own(() => MemoryStore.layerOver(kept))
}

/** A new file for all, made once: migrating an empty file takes longer than a short run. By the endings of its files. */
let template: ReadonlyMap<string, Buffer> | null = null

const endings = ["", "-wal", "-limits", "-limits-wal"]

const copy = (from: string, to: string): void => {
  for (const ending of endings) if (existsSync(from + ending)) copyFileSync(from + ending, to + ending)
}

const folderOfRuns = (): string =>
  mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "lead-signals-run-"))

const layerOf = (filename: string, beforeCommit: () => void = () => {}) =>
  SqliteStore.layer({ filename, synced: false, beforeCommit, gather: Effect.void, greatestEffort: Infinity })

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
  for (const [ending, bytes] of template) writeFileSync(filename() + ending, bytes)
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
