/** The store of brands. Stores of their own keep what belongs to a brand: keys, signals, campaigns, webhooks, leads. */
import { Context, type Option } from "effect"
import type { Brand, BrandId } from "../model/Brand.ts"
import type { Instant } from "../model/Instant.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

/**
 * The port of a store for brands. Each method is atomic, and fails with `StoreUnavailable` while the store can't
 * answer.
 */
export class BrandStore extends Context.Tag("@lead-signals/domain/BrandStore")<
  BrandStore,
  {
    /** Creates a brand with a new id: decimal digits, never given twice. */
    readonly create: (brand: Omit<Brand, "id" | "deletionStartedAt">) => StoreEffect<Brand>
    /** Answers all brands in order of creation, those that are being deleted included. */
    readonly list: StoreEffect<ReadonlyArray<Brand>>
    /** Answers the brand, also while it is being deleted. None when there is no such brand. */
    readonly get: (id: BrandId) => StoreEffect<Option.Option<Brand>>
    /**
     * Renames the brand and answers it; every later read shows the new name, in other processes on the store, too.
     * None when there is no such brand.
     */
    readonly rename: (id: BrandId, name: string) => StoreEffect<Option.Option<Brand>>
    /**
     * Begins the brand's deletion in one transaction, and answers the brand. It revokes the keys and deletes the
     * signals, so that no later observation is recorded; from then on, creating something for the brand fails with
     * `StoreUnavailable`. A brand whose deletion began before keeps its `deletionStartedAt`. None when there is no such
     * brand. [DEL-1]
     */
    readonly startDeletion: (id: BrandId, now: Instant) => StoreEffect<Option.Option<Brand>>
    /**
     * Removes what is left of a brand whose deletion began: keys, signals, campaigns, hashes of erased persons,
     * counters. It removes nothing and answers false while the brand has a lead or a webhook, and when there is no such
     * brand or its deletion has not begun. [DEL-1]
     */
    readonly finishDeletion: (id: BrandId) => StoreEffect<boolean>
  }
>() {
  /** Whether each method reads or writes. */
  static readonly operations: Operations<BrandStore["Type"]> = {
    create: "write",
    list: "read",
    get: "read",
    rename: "write",
    startDeletion: "write",
    finishDeletion: "write"
  }
}
