/** Signals. A deleted one stays for the engagements that show it. */
import { SignalStore } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { createFor, find, ofBrand, rename } from "./rows.ts"
import type { Tables } from "./Tables.ts"

export const signalStore = (tables: Tables): typeof SignalStore.Service => {
  const { deletedSignals, signals } = tables

  const findSignal = (brandId: string, id: string) =>
    Option.filter(find(signals, brandId, id), () => deletedSignals.get(id) === undefined)

  return SignalStore.of({
    create: (brandId, signal, now) =>
      tables.write(() => createFor(tables, signals, "signal", { ...signal, brandId, createdAt: now })),
    list: (brandId) =>
      Effect.sync(() => ofBrand(signals, brandId).filter(({ id }) => deletedSignals.get(id) === undefined)),
    rename: (brandId, id, name) => tables.write(() => rename(signals, findSignal(brandId, id), name)),
    delete: (brandId, id) =>
      tables.write(() => {
        const isFound = Option.isSome(findSignal(brandId, id))
        if (isFound) deletedSignals.put(id, true)
        return isFound
      })
  })
}
