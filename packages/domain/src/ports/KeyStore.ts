/** The store of API keys, which it keeps by their hash. [AUTH-4] */
import { Context, type Option } from "effect"
import type { ApiKey } from "../model/ApiKey.ts"
import type { BrandId } from "../model/Brand.ts"
import type { Instant } from "../model/Instant.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

/**
 * The port of a store for API keys. Each method is atomic, and fails with `StoreUnavailable` while the store can't
 * answer.
 */
export class KeyStore extends Context.Tag("@lead-signals/domain/KeyStore")<
  KeyStore,
  {
    /**
     * Creates a key with a new id: decimal digits, never given twice. `findByHash` finds it by `hash`. Fails with
     * `StoreUnavailable` when the brand is being deleted, too.
     */
    readonly create: (
      key: Omit<ApiKey, "id" | "lastUsedAt" | "revokedAt"> & { readonly hash: string }
    ) => StoreEffect<ApiKey>
    /** Answers the brand's keys in order of creation, revoked ones included. Empty for an unknown brand. */
    readonly list: (brandId: BrandId) => StoreEffect<ReadonlyArray<ApiKey>>
    /**
     * Answers the key with this hash, a revoked or expired one, too: the caller refuses it. None when there is none. A
     * store that caches keys forgets a revoked one before `revoke` succeeds, in each process that has it. [AUTH-5]
     */
    readonly findByHash: (hash: string) => StoreEffect<Option.Option<ApiKey>>
    /**
     * Revokes the key; one that was revoked before keeps its `revokedAt`. Answers whether the brand has such a key. [AUTH-5]
     */
    readonly revoke: (brandId: BrandId, keyId: string, now: Instant) => StoreEffect<boolean>
    /**
     * Sets the key's `lastUsedAt` to `minute`, unless it has a later one. Requests with a key wait for this call, so a store
     * may write after it has succeeded; a failure of that later write is ignored. [AUTH-8]
     */
    readonly markUsed: (keyId: string, minute: Instant) => StoreEffect<void>
  }
>() {
  /** Whether each method reads or writes. */
  static readonly operations: Operations<KeyStore["Type"]> = {
    create: "write",
    list: "read",
    findByHash: "read",
    revoke: "write",
    markUsed: "write"
  }
}
