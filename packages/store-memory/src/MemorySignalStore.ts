/** Signals in memory. */
import { SignalStore } from "@lead-signals/domain"
import { Effect, Layer } from "effect"
import { MemoryState } from "./MemoryState.ts"
import { createInBrand, findInBrand, listOfBrand, put, rename, withId } from "./Records.ts"

const make = Effect.map(MemoryState, ({ memory }) => {
  const signalOf = (brandId: string, id: string) =>
    memory.deletedSignals.has(id) ? undefined : findInBrand(memory.signals, brandId, id)

  return SignalStore.of({
    create: (brandId, signal, now) =>
      createInBrand(memory, brandId, () =>
        put(memory.signals, withId(memory, "signal", { ...signal, brandId, createdAt: now }))
      ),
    list: (brandId) =>
      Effect.map(listOfBrand(memory.signals, brandId), (signals) =>
        signals.filter(({ id }) => !memory.deletedSignals.has(id))
      ),
    rename: (brandId, id, name) => Effect.sync(() => rename(memory.signals, signalOf(brandId, id), name)),
    delete: (brandId, id) =>
      Effect.sync(() => {
        const isThere = signalOf(brandId, id) !== undefined
        if (isThere) memory.deletedSignals.add(id)
        return isThere
      })
  })
})

/** The port of signals. */
export const layer = Layer.effect(SignalStore, make)
