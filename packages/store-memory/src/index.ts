/** Every store port of Lead Signals, kept in memory: for tests, for simulations, and for hosts that keep nothing. */
import { Layer } from "effect"
import * as MemoryDeliveries from "./MemoryDeliveries.ts"
import * as MemoryDirectory from "./MemoryDirectory.ts"
import * as MemoryLeadStore from "./MemoryLeadStore.ts"
import * as MemoryOutbox from "./MemoryOutbox.ts"
import * as MemoryRateWindows from "./MemoryRateWindows.ts"
import { MemoryState } from "./MemoryState.ts"

const stores = Layer.mergeAll(
  MemoryDirectory.layer,
  MemoryLeadStore.layer,
  MemoryOutbox.layer,
  MemoryDeliveries.layer,
  MemoryRateWindows.layer
).pipe(Layer.provide(MemoryState.layer))

/** All store ports over one memory: one for all who are given this layer in one program, another in the next. */
export const layer = Layer.scopedContext(Layer.build(stores))
