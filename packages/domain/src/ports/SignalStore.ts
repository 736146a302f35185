/** Where a brand's signals are kept. */
import { Context, type Option } from "effect"
import type { BrandId } from "../model/Brand.ts"
import type { Instant } from "../model/Instant.ts"
import type { NewSignal, Signal } from "../model/Signal.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

export class SignalStore extends Context.Tag("@lead-signals/domain/SignalStore")<
  SignalStore,
  {
    /**
     * Gives the signal a new id: decimal digits, never given twice. Fails with `StoreUnavailable` when the brand is being
     * deleted.
     */
    readonly create: (brandId: BrandId, signal: NewSignal, now: Instant) => StoreEffect<Signal>
    /** In order of creation, without deleted ones. */
    readonly list: (brandId: BrandId) => StoreEffect<ReadonlyArray<Signal>>
    /** Every later read of an engagement shows the new name. None when the signal is unknown, deleted or another brand's. */
    readonly rename: (brandId: BrandId, id: string, name: string) => StoreEffect<Option.Option<Signal>>
    /**
     * Observations of it are rejected from then on as of an unknown signal; leads and engagements that it caught still show it.
     * Answers whether the brand had such a signal.
     */
    readonly delete: (brandId: BrandId, id: string, now: Instant) => StoreEffect<boolean>
  }
>() {
  static readonly operations: Operations<SignalStore["Type"]> = {
    create: "write",
    list: "read",
    rename: "write",
    delete: "write"
  }
}
