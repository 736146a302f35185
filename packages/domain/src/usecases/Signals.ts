/** The operator's calls on signals: create, rename, delete. */
import { Clock, Effect } from "effect"
import type { BrandId } from "../model/Brand.ts"
import { NotFound } from "../model/Failure.ts"
import type { NewSignal } from "../model/Signal.ts"
import { SignalStore } from "../ports/SignalStore.ts"
import * as Brands from "./Brands.ts"
import { orNotFound } from "./Found.ts"

/**
 * Creates a signal of the brand. Fails with `NotFound` when there is no such brand or it is being deleted, and with
 * `StoreUnavailable`.
 */
export const create = (brandId: BrandId, signal: NewSignal) =>
  Effect.gen(function* () {
    const signalStore = yield* SignalStore
    const { id } = yield* Brands.get(brandId)
    return yield* signalStore.create(id, signal, yield* Clock.currentTimeMillis)
  })

/**
 * Renames the signal and answers it. Engagements show the signal's name as it is now; no lead's `updatedAt` moves.
 * Fails with `NotFound` when the brand has no such signal or it is deleted, and with `StoreUnavailable`.
 */
export const rename = (brandId: BrandId, id: string, name: string) =>
  Effect.gen(function* () {
    const signalStore = yield* SignalStore
    return yield* orNotFound(yield* signalStore.rename(brandId, id, name), "signal")
  })

/**
 * Deletes the signal: observations of it are rejected from then on; leads and engagements that it caught stay, and
 * show it. Fails with `NotFound` when the brand has no such signal, also on a second call, and with
 * `StoreUnavailable`. [DEL-2]
 */
export const remove = (brandId: BrandId, id: string) =>
  Effect.gen(function* () {
    const signalStore = yield* SignalStore
    if (!(yield* signalStore.delete(brandId, id, yield* Clock.currentTimeMillis))) {
      return yield* new NotFound({ resource: "signal" })
    }
  })
