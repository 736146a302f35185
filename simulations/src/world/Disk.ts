/** What a service keeps its data on, and what a kill leaves of that. */
import * as MemoryStore from "@lead-signals/store-memory"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Stores } from "./StorePorts.ts"

export interface Disk {
  /** Whether a call of the store has a middle in which the process can die. */
  readonly hasTransactions: boolean
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
export const own = (layer: () => Layer.Layer<Stores, unknown>): Disk => ({
  hasTransactions: false,
  open: () => build(layer()).context,
  crash: () => {},
  discard: () => {}
})

export const memory = (): Disk => {
  const kept = new MemoryStore.Memory()
  return own(() => MemoryStore.layerOver(kept))
}

/** A new file for all, made once: migrating an empty file takes longer than a short run. */
let template: string | null = null

const filesOf = (name: string): ReadonlyArray<string> =>
  ["", "-limits"].flatMap((part) => ["", "-wal"].map((ending) => `${name}${part}${ending}`))

const copy = (from: string, to: string): void => {
  filesOf(from).forEach((file, i) => {
    if (existsSync(file)) copyFileSync(file, filesOf(to)[i]!)
  })
}

const folderOfRuns = (): string =>
  mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "lead-signals-run-"))

/**
 * SQLite files. A kill leaves them as they are at that moment, log and all, an open transaction in it: the next process
 * opens a copy of them, while those of the dead are closed and thrown away.
 */
export const sqlite = (): Disk => {
  const folder = folderOfRuns()
  let generation = 0
  const filename = (): string => join(folder, `${generation}.sqlite`)
  let opened: Opened | null = null
  const layerOf = (file: string) => SqliteStore.layer({ filename: file, synced: false })
  if (template === null) {
    const made = folderOfRuns()
    template = join(made, "template.sqlite")
    build(layerOf(template)).close()
    process.on("exit", () => rmSync(made, { recursive: true, force: true }))
  }
  copy(template, filename())
  return {
    hasTransactions: true,
    open: () => {
      opened = build(layerOf(filename()))
      return opened.context
    },
    crash: () => {
      const left = filename()
      generation++
      copy(left, filename())
      opened?.close()
      opened = null
      for (const file of filesOf(left)) rmSync(file, { force: true })
    },
    discard: () => {
      opened?.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
