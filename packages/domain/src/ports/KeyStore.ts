/** Where a brand's API keys are kept: by their hash, never as they are. [AUTH-4] */
import { Context, type Option } from "effect"
import type { ApiKey } from "../model/ApiKey.ts"
import type { BrandId } from "../model/Brand.ts"
import type { Instant } from "../model/Instant.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

export class KeyStore extends Context.Tag("@lead-signals/domain/KeyStore")<
  KeyStore,
  {
    /**
     * Gives the key a new id: decimal digits, never given twice. `hash` is what the key is found by. Fails with
     * `StoreUnavailable` when the brand is being deleted.
     */
    readonly create: (
      key: Omit<ApiKey, "id" | "lastUsedAt" | "revokedAt"> & { readonly hash: string }
    ) => StoreEffect<ApiKey>
    /** In order of creation, revoked ones, too. */
    readonly list: (brandId: BrandId) => StoreEffect<ReadonlyArray<ApiKey>>
    /** Revoked keys are found, too: the caller refuses them. Must not be cached beyond a revocation. [AUTH-5] */
    readonly findByHash: (hash: string) => StoreEffect<Option.Option<ApiKey>>
    /** Answers whether the brand has such a key; a key that was revoked before keeps its time. */
    readonly revoke: (brandId: BrandId, keyId: string, now: Instant) => StoreEffect<boolean>
    /**
     * Notes the use. It may be written after this has ended, since reads never wait for writes; that write's failure is not
     * reported. Never moves backwards. [AUTH-8]
     */
    readonly markUsed: (keyId: string, minute: Instant) => StoreEffect<void>
  }
>() {
  static readonly operations: Operations<KeyStore["Type"]> = {
    create: "write",
    list: "read",
    findByHash: "read",
    revoke: "write",
    markUsed: "write"
  }
}
