/** The store of operators' tokens, which it keeps by their hash. [OPER-11] */
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
    /** Creates a token with a new id: decimal digits, never given twice. `findByHash` finds it by `hash`. */
    readonly create: (
      token: Omit<AccessToken, "id" | "lastUsedAt" | "revokedAt"> & { readonly hash: string }
    ) => StoreEffect<AccessToken>
    /** Answers all tokens in order of creation, revoked and expired ones included. */
    readonly list: StoreEffect<ReadonlyArray<AccessToken>>
    /**
     * Answers the token with this hash, a revoked or expired one, too: the caller refuses it. None when there is none. A store that caches
     * tokens forgets a revoked one before `revoke` succeeds, in each process that has it. [OPER-11]
     */
    readonly findByHash: (hash: string) => StoreEffect<Option.Option<AccessToken>>
    /** Revokes the token; one that was revoked before keeps its `revokedAt`. Answers whether there is such a token. */
    readonly revoke: (id: string, now: Instant) => StoreEffect<boolean>
    /** Sets `lastUsedAt`, as `KeyStore.markUsed` does for keys. */
    readonly markUsed: (id: string, minute: Instant) => StoreEffect<void>
  }
>() {
  /** Whether each method reads or writes. */
  static readonly operations: Operations<AccessTokenStore["Type"]> = {
    create: "write",
    list: "read",
    findByHash: "read",
    revoke: "write",
    markUsed: "write"
  }
}
