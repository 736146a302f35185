/** Operators' tokens in memory. */
import { type AccessToken, AccessTokenStore } from "@lead-signals/domain"
import { Effect, Layer, Option } from "effect"
import { MemoryState } from "./MemoryState.ts"
import { put, withId } from "./Records.ts"

const make = Effect.map(MemoryState, ({ memory }) =>
  AccessTokenStore.of({
    create: ({ hash, ...token }) =>
      Effect.sync(() => {
        const created: AccessToken = put(
          memory.accessTokens,
          withId(memory, "access_token", { ...token, lastUsedAt: null, revokedAt: null })
        )
        memory.accessTokenIdsByHash.set(hash, created.id)
        return created
      }),
    list: Effect.sync(() => [...memory.accessTokens.values()]),
    findByHash: (hash) =>
      Effect.sync(() =>
        Option.fromNullable(memory.accessTokens.get(memory.accessTokenIdsByHash.get(hash) ?? ""))
      ),
    revoke: (id, now) =>
      Effect.sync(() => {
        const token = memory.accessTokens.get(id)
        if (token === undefined) return false
        put(memory.accessTokens, { ...token, revokedAt: token.revokedAt ?? now })
        return true
      }),
    markUsed: (id, minute) =>
      Effect.sync(() => {
        const token = memory.accessTokens.get(id)
        if (token !== undefined)
          put(memory.accessTokens, { ...token, lastUsedAt: Math.max(token.lastUsedAt ?? minute, minute) })
      })
  })
)

/** The port of operators' tokens. */
export const layer = Layer.effect(AccessTokenStore, make)
