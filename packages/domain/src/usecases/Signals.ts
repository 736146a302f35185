/** What an operator does with signals. */
import { Clock, Effect } from "effect"
import type { BrandId } from "../model/Brand.ts"
import { NotFound } from "../model/Failure.ts"
import type { NewSignal } from "../model/Signal.ts"
import { Directory } from "../ports/Directory.ts"
import * as Brands from "./Brands.ts"
import { orNotFound } from "./Found.ts"

export const create = (brandId: BrandId, signal: NewSignal) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const { id } = yield* Brands.get(brandId)
    return yield* directory.createSignal(id, signal, yield* Clock.currentTimeMillis)
  })

/** Engagements show the signal's name as it is now; no lead changes by it. */
export const rename = (brandId: BrandId, id: string, name: string) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    return yield* orNotFound(yield* directory.renameSignal(brandId, id, name), "signal")
  })

/** Observations of it are rejected from then on; leads and engagements that it caught stay, and show it. [DEL-2] */
export const remove = (brandId: BrandId, id: string) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    if (!(yield* directory.deleteSignal(brandId, id, yield* Clock.currentTimeMillis))) {
      return yield* new NotFound({ resource: "signal" })
    }
  })
