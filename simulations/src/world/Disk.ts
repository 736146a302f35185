/** What a service keeps its data on, and what a kill leaves of that. */
import * as MemoryStore from "@lead-signals/store-memory"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
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

export interface Opened {
  readonly context: Context.Context<Stores>
  readonly close: () => void
}

/** As the harness does it, not as a part of the history: it takes no scheduling step. */
export const build = (layer: Layer.Layer<Stores, unknown>): Opened =>
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
