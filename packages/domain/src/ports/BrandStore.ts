/** Where brands are kept. Other stores keep what belongs to one: keys, signals, campaigns, webhooks, leads. */
import { Context, type Option } from "effect"
import type { Brand, BrandId } from "../model/Brand.ts"
import type { Instant } from "../model/Instant.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

export class BrandStore extends Context.Tag("@lead-signals/domain/BrandStore")<
  BrandStore,
  {
    /** Gives the brand a new id: decimal digits, never given twice. */
    readonly create: (brand: Omit<Brand, "id" | "deletionStartedAt">) => StoreEffect<Brand>
    /** In order of creation; brands that are being deleted are among them. */
    readonly list: StoreEffect<ReadonlyArray<Brand>>
    /** None when there is no such brand; a brand that is being deleted is found. */
    readonly get: (id: BrandId) => StoreEffect<Option.Option<Brand>>
    /** Every later read shows the new name, in other processes on the store, too. None when there is no such brand. */
    readonly rename: (id: BrandId, name: string) => StoreEffect<Option.Option<Brand>>
    /**
     * Begins the brand's deletion, in one transaction: its keys are revoked and its signals deleted, so that no observation of
     * it is recorded any more, and creating something for it fails with `StoreUnavailable` from then on. A brand whose deletion
     * began before keeps its time. None when there is no such brand.
     */
    readonly startDeletion: (id: BrandId, now: Instant) => StoreEffect<Option.Option<Brand>>
    /**
     * Removes what is left of a brand whose deletion began: keys, signals, campaigns, hashes of erased persons, counters. False,
     * having removed nothing, while the brand has a lead or a webhook, or when no deletion of such a brand began.
     */
    readonly finishDeletion: (id: BrandId) => StoreEffect<boolean>
  }
>() {
  static readonly operations: Operations<BrandStore["Type"]> = {
    create: "write",
    list: "read",
    get: "read",
    rename: "write",
    startDeletion: "write",
    finishDeletion: "write"
  }
}
