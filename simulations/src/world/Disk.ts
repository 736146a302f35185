/** Disks: a service keeps its data on one, and a kill leaves there what was committed. */
import type { Prng } from "@lead-signals/simulation-kernel"
import * as MemoryStore from "@lead-signals/store-memory"
import { type Context, Effect, Exit, Layer, Logger, LogLevel, Scope } from "effect"
import type { Stores } from "./StorePorts.ts"

/** A place for the data of a service whose process is killed and started again. */
export interface Disk {
  /**
   * Lets the process die within its next transaction, when all of it is written and nothing committed; null where a
   * call is one step.
   */
  readonly dieWithin: ((die: () => void) => void) | null
  /**
   * Lets the next commit be torn by the loss of power that follows: some of what it writes never arrives. False where a
   * call is one step.
   */
  readonly tearNextCommit: () => boolean
  /** Opens the store over what is kept; each process that starts calls it, with its number from 0. */
  readonly open: (process: number) => Context.Context<Stores>
  /** Ends the process that opened the store, with whatever it had not committed. Others go on. */
  readonly crash: (process: number) => void
  /** Ends all processes at once: what was not synced may be there, in part or not at all. Rate windows are lost. */
  readonly losePower: (draw: Prng) => void
  /** What is wrong with the files that the last loss of power left; null where nothing is. */
  readonly damage: () => string | null
  /** What is wrong with the files as they are, with open stores; null where nothing is, and where nobody can look. */
  readonly presentDamage: () => string | null
  /** What a process that is the only one has in memory of leads that are gone, by its number; null where that is nothing. */
  readonly residue: (process: number) => string | null
  /** Makes a disk of the same kind with nothing on it; null where nobody can. */
  readonly another: (() => Disk) | null
  /** Releases the disk at the end of the run. */
  readonly discard: () => void
}

/** A store that was opened. */
export interface Opened {
  /** The implementation of each port. */
  readonly context: Context.Context<Stores>
  /** Closes the store. */
  readonly close: () => void
}

/**
 * Builds the layer as the harness does, not as a part of the history: it takes no scheduling step. Throws when the
 * layer fails or waits.
 */
export const build = (layer: Layer.Layer<Stores, unknown>): Opened =>
  Effect.runSync(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(layer, scope)
      return { context, close: () => Effect.runSync(Scope.close(scope, Exit.void)) }
    }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
  )

/** A disk of a store that keeps its data by itself. `layer` is called at each start. */
export const own = (layer: () => Layer.Layer<Stores, unknown>): Disk => {
  const opened: Array<Opened> = []
  return {
    dieWithin: null,
    tearNextCommit: () => false,
    open: () => {
      const next = build(layer())
      opened.push(next)
      return next.context
    },
    crash: () => {},
    losePower: () => {},
    damage: () => null,
    presentDamage: () => null,
    residue: () => null,
    another: null,
    discard: () => {
      for (const each of opened) each.close()
    }
  }
}

/** A disk over a new memory of `@lead-signals/store-memory`, which survives the kills of one run. */
export const memory = (): Disk => {
  const kept = new MemoryStore.Memory()
  return {
    ...own(() => MemoryStore.layerOver(kept)),
    losePower: () => kept.rateWindows.clear(),
    another: memory
  }
}
