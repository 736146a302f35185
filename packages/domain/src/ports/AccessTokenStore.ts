/** Where operators' tokens are kept: by their hash, never as they are. [OPER-11] */
import { Context, type Option } from "effect"
import type { AccessToken } from "../model/AccessToken.ts"
import type { Instant } from "../model/Instant.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

/**
 * The port of a store for operators' tokens. Each method is atomic, and fails with `StoreUnavailable` while the store can't answer.
 */
export class AccessTokenStore extends Context.Tag("@lead-signals/domain/AccessTokenStore")<
  AccessTokenStore,
  {
    /** Creates a token with a new id: decimal digits, never given twice. `hash` is the text by which `findByHash` finds it. */
    readonly create: (
      token: Omit<AccessToken, "id" | "lastUsedAt" | "revokedAt"> & { readonly hash: string }
    ) => StoreEffect<AccessToken>
    /** Answers all tokens in order of creation, revoked and expired ones included. */
    readonly list: StoreEffect<ReadonlyArray<AccessToken>>
    /**
     * Answers the token with this hash, a revoked or expired one, too: the caller refuses it. None when there is none. A cache must not
     * outlive a revocation. [OPER-11]
     */
    readonly findByHash: (hash: string) => StoreEffect<Option.Option<AccessToken>>
    /** Revokes the token; one that was revoked before keeps its time. Answers whether there is such a token. */
    readonly revoke: (id: string, now: Instant) => StoreEffect<boolean>
    /** As `markUsed` of `KeyStore`. */
    readonly markUsed: (id: string, minute: Instant) => StoreEffect<void>
  }
>() {
  /** Which methods write the store; a wrapper of the port derives its list from here. */
  static readonly operations: Operations<AccessTokenStore["Type"]> = {
    create: "write",
    list: "read",
    findByHash: "read",
    revoke: "write",
    markUsed: "write"
  }
}
