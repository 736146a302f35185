/** API keys in memory. */
import { type ApiKey, KeyStore } from "@lead-signals/domain"
import { Effect, Layer, Option } from "effect"
import { MemoryState } from "./MemoryState.ts"
import { createInBrand, listOfBrand, put, withId } from "./Records.ts"

const make = Effect.map(MemoryState, ({ memory }) =>
  KeyStore.of({
    create: ({ hash, ...key }) =>
      createInBrand(memory, key.brandId, () => {
        const created: ApiKey = put(
          memory.keys,
          withId(memory, "key", { ...key, lastUsedAt: null, revokedAt: null })
        )
        memory.keyIdsByHash.set(hash, created.id)
        return created
      }),
    list: (brandId) => listOfBrand(memory.keys, brandId),
    findByHash: (hash) =>
      Effect.sync(() => Option.fromNullable(memory.keys.get(memory.keyIdsByHash.get(hash) ?? ""))),
    revoke: (brandId, keyId, now) =>
      Effect.sync(() => {
        const key = memory.keys.get(keyId)
        if (key?.brandId !== brandId) return false
        put(memory.keys, { ...key, revokedAt: key.revokedAt ?? now })
        return true
      }),
    markUsed: (keyId, minute) =>
      Effect.sync(() => {
        const key = memory.keys.get(keyId)
        if (key !== undefined)
          put(memory.keys, { ...key, lastUsedAt: Math.max(key.lastUsedAt ?? minute, minute) })
      })
  })
)

/** The port of API keys. */
export const layer = Layer.effect(KeyStore, make)
