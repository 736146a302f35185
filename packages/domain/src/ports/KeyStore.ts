/** Where a brand's API keys are kept: by their hash, never as they are. [AUTH-4] */
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
     * Creates a key with a new id: decimal digits, never given twice. `hash` is the text by which `findByHash` finds
     * it. Fails with `StoreUnavailable` when the brand is being deleted, too.
     */
    readonly create: (
      key: Omit<ApiKey, "id" | "lastUsedAt" | "revokedAt"> & { readonly hash: string }
    ) => StoreEffect<ApiKey>
    /** Answers the brand's keys in order of creation, revoked ones included. Empty for an unknown brand. */
    readonly list: (brandId: BrandId) => StoreEffect<ReadonlyArray<ApiKey>>
    /**
     * Answers the key with this hash, a revoked one, too: the caller refuses it. None when there is none. A cache
     * must not outlive a revocation. [AUTH-5]
     */
    readonly findByHash: (hash: string) => StoreEffect<Option.Option<ApiKey>>
    /**
     * Revokes the key; one that was revoked before keeps its time. Answers whether the brand has such a key. [AUTH-5]
     */
    readonly revoke: (brandId: BrandId, keyId: string, now: Instant) => StoreEffect<boolean>
    /**
     * Notes that a request used the key in this minute; an earlier minute changes nothing. A store may write it after
     * this has succeeded, because reads never wait for writes; nobody learns of a failure of that write. [AUTH-8]
     */
    readonly markUsed: (keyId: string, minute: Instant) => StoreEffect<void>
  }
>() {
  /** Which methods write the store; a wrapper of the port derives its list from here. */
  static readonly operations: Operations<KeyStore["Type"]> = {
    create: "write",
    list: "read",
    findByHash: "read",
    revoke: "write",
    markUsed: "write"
  }
}
