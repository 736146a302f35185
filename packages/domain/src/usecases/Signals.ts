/** What an operator does with signals. */
import { Clock, Effect } from "effect"
import type { BrandId } from "../model/Brand.ts"
import { NotFound } from "../model/Failure.ts"
import type { NewSignal } from "../model/Signal.ts"
import { SignalStore } from "../ports/SignalStore.ts"
import * as Brands from "./Brands.ts"
import { orNotFound } from "./Found.ts"

export const create = (brandId: BrandId, signal: NewSignal) =>
  Effect.gen(function* () {
    const signalStore = yield* SignalStore
    const { id } = yield* Brands.get(brandId)
    return yield* signalStore.create(id, signal, yield* Clock.currentTimeMillis)
  })

/** Engagements show the signal's name as it is now; no lead changes by it. */
export const rename = (brandId: BrandId, id: string, name: string) =>
  Effect.gen(function* () {
    const signalStore = yield* SignalStore
    return yield* orNotFound(yield* signalStore.rename(brandId, id, name), "signal")
  })

/** Observations of it are rejected from then on; leads and engagements that it caught stay, and show it. [DEL-2] */
export const remove = (brandId: BrandId, id: string) =>
  Effect.gen(function* () {
    const signalStore = yield* SignalStore
    if (!(yield* signalStore.delete(brandId, id, yield* Clock.currentTimeMillis))) {
      return yield* new NotFound({ resource: "signal" })
    }
  })
