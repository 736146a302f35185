/** Brands in memory. */
import { type Brand, BrandStore } from "@lead-signals/domain"
import { Effect, Layer, Option } from "effect"
import { MemoryState } from "./MemoryState.ts"
import { put, rename, withId } from "./Records.ts"

/** Returns the ids of the removed. */
const removeOfBrand = (
  things: Map<string, { readonly brandId: string }>,
  brandId: string
): ReadonlyArray<string> => {
  const ids = [...things].flatMap(([id, thing]) => (thing.brandId === brandId ? [id] : []))
  for (const id of ids) things.delete(id)
  return ids
}

const make = Effect.map(MemoryState, ({ memory }) => {
  const removeBrand = (id: string): void => {
    for (const [hash, keyId] of memory.keyIdsByHash) {
      if (memory.keys.get(keyId)!.brandId === id) memory.keyIdsByHash.delete(hash)
    }
    for (const keyId of removeOfBrand(memory.keys, id)) memory.rateWindows.delete(keyId)
    for (const signalId of removeOfBrand(memory.signals, id)) memory.deletedSignals.delete(signalId)
    for (const campaignId of removeOfBrand(memory.campaigns, id)) memory.readings.delete(campaignId)
    memory.removeLeadsOf(id)
    memory.brands.delete(id)
  }

  return BrandStore.of({
    create: (brand) =>
      Effect.sync(() => put(memory.brands, withId(memory, "brand", { ...brand, deletionStartedAt: null }))),
    list: Effect.sync(() => [...memory.brands.values()]),
    get: (id) => Effect.sync(() => Option.fromNullable(memory.brands.get(id))),
    rename: (id, name) => Effect.sync(() => rename(memory.brands, memory.brands.get(id), name)),
    startDeletion: (id, now) =>
      Effect.sync(() =>
        Option.map(Option.fromNullable(memory.brands.get(id)), (before): Brand => {
          for (const key of memory.keys.values()) {
            if (key.brandId === id) put(memory.keys, { ...key, revokedAt: key.revokedAt ?? now })
          }
          for (const signal of memory.signals.values()) {
            if (signal.brandId === id) memory.deletedSignals.add(signal.id)
          }
          return put(memory.brands, { ...before, deletionStartedAt: before.deletionStartedAt ?? now })
        })
      ),
    finishDeletion: (id) =>
      Effect.sync(() => {
        const isLeft =
          memory.leadsOf(id).byId.size > 0 ||
          [...memory.webhooks.values()].some(({ brandId }) => brandId === id)
        if (isLeft || (memory.brands.get(id)?.deletionStartedAt ?? null) === null) return false
        removeBrand(id)
        return true
      })
  })
})

/** The port of brands. */
export const layer = Layer.effect(BrandStore, make)
