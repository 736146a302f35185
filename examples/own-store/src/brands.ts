/** Brands, and their deletion. */
import { BrandStore } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { removeReadings } from "./campaigns.ts"
import { create, inOrder, ofBrand, rename } from "./rows.ts"
import type { Tables } from "./Tables.ts"

/** Removes what a brand has left besides leads and webhooks. */
const removeBrand = (tables: Tables, brandId: string): void => {
  const { brands, campaigns, deletedSignals, keyHashes, keys, signals } = tables
  for (const key of ofBrand(keys, brandId)) {
    for (const { hash, keyId } of keyHashes.all()) if (keyId === key.id) keyHashes.remove(hash)
    tables.rateWindows.remove(key.id)
    keys.remove(key.id)
  }
  for (const { id } of ofBrand(signals, brandId)) {
    deletedSignals.remove(id)
    signals.remove(id)
  }
  for (const { id } of ofBrand(campaigns, brandId)) {
    removeReadings(tables, id)
    campaigns.remove(id)
  }
  for (const { hash } of tables.suppressed(brandId).all()) tables.suppressed(brandId).remove(hash)
  brands.remove(brandId)
}

export const brandStore = (tables: Tables): typeof BrandStore.Service => {
  const { brands, deletedSignals, keys, signals, webhooks } = tables
  return BrandStore.of({
    create: (brand) =>
      tables.write(() => create(tables, brands, "brand", { ...brand, deletionStartedAt: null })),
    list: Effect.sync(() => inOrder(brands.all())),
    get: (id) => Effect.sync(() => Option.fromNullable(brands.get(id))),
    rename: (id, name) => tables.write(() => rename(brands, Option.fromNullable(brands.get(id)), name)),
    startDeletion: (id, now) =>
      tables.write(() =>
        Option.map(Option.fromNullable(brands.get(id)), (brand) => {
          for (const key of ofBrand(keys, id)) keys.put(key.id, { ...key, revokedAt: key.revokedAt ?? now })
          for (const signal of ofBrand(signals, id)) deletedSignals.put(signal.id, true)
          return brands.put(id, { ...brand, deletionStartedAt: brand.deletionStartedAt ?? now })
        })
      ),
    finishDeletion: (id) =>
      tables.write(() => {
        const isBegun = (brands.get(id)?.deletionStartedAt ?? null) !== null
        if (!isBegun || tables.leads(id).all().length > 0 || ofBrand(webhooks, id).length > 0) return false
        removeBrand(tables, id)
        return true
      }, true)
  })
}
