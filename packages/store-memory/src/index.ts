/** Every store port of Lead Signals, kept in memory: for tests, for simulations, and for hosts that keep nothing. */
import { Effect, Layer } from "effect"
import * as MemoryDeliveries from "./MemoryDeliveries.ts"
import * as MemoryDirectory from "./MemoryDirectory.ts"
import * as MemoryLeadStore from "./MemoryLeadStore.ts"
import * as MemoryOutbox from "./MemoryOutbox.ts"
import * as MemoryRateWindows from "./MemoryRateWindows.ts"
import { Memory, MemoryState } from "./MemoryState.ts"

export { Memory }

const stores = Layer.mergeAll(
  MemoryDirectory.layer,
  MemoryLeadStore.layer,
  MemoryOutbox.layer,
  MemoryDeliveries.layer,
  MemoryRateWindows.layer
)

/** All store ports over a memory of one's own, which outlives the program that is served from it. */
export const layerOver = (memory: Memory) =>
  Layer.scopedContext(Layer.build(Layer.provide(stores, MemoryState.layer(memory))))

/** All store ports over one memory: one for all who are given this layer in one program, another in the next. */
export const layer = Layer.unwrapEffect(Effect.sync(() => layerOver(new Memory())))
