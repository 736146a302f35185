/** The store of signals. */
import { Context, type Option } from "effect"
import type { BrandId } from "../model/Brand.ts"
import type { Instant } from "../model/Instant.ts"
import type { NewSignal, Signal } from "../model/Signal.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

/**
 * The port of a store for signals. Each method is atomic, and fails with `StoreUnavailable` while the store can't
 * answer.
 */
export class SignalStore extends Context.Tag("@lead-signals/domain/SignalStore")<
  SignalStore,
  {
    /**
     * Creates a signal with a new id: decimal digits, never given twice. Fails with `StoreUnavailable` when the brand
     * is being deleted, too.
     */
    readonly create: (brandId: BrandId, signal: NewSignal, now: Instant) => StoreEffect<Signal>
    /** Answers the brand's signals in order of creation, without deleted ones. Empty for an unknown brand. */
    readonly list: (brandId: BrandId) => StoreEffect<ReadonlyArray<Signal>>
    /**
     * Renames the signal and answers it; every later read of an engagement shows the new name. None when the signal
     * is unknown, deleted or another brand's.
     */
    readonly rename: (brandId: BrandId, id: string, name: string) => StoreEffect<Option.Option<Signal>>
    /**
     * Deletes the signal. Later observations that name it are rejected, as for an unknown signal; leads and engagements
     * that it caught still show it. Answers whether the brand had such a signal. [DEL-2]
     */
    readonly delete: (brandId: BrandId, id: string, now: Instant) => StoreEffect<boolean>
  }
>() {
  /** Whether each method reads or writes. */
  static readonly operations: Operations<SignalStore["Type"]> = {
    create: "write",
    list: "read",
    rename: "write",
    delete: "write"
  }
}
