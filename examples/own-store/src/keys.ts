/** API keys, by their hash. */
import { KeyStore } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { createFor, find, ofBrand } from "./rows.ts"
import type { Tables } from "./Tables.ts"

export const keyStore = (tables: Tables): typeof KeyStore.Service => {
  const { keyHashes, keys } = tables
  return KeyStore.of({
    create: ({ hash, ...key }) =>
      tables.write(() => {
        const created = createFor(tables, keys, "key", { ...key, lastUsedAt: null, revokedAt: null })
        keyHashes.put(hash, { hash, keyId: created.id })
        return created
      }),
    list: (brandId) => Effect.sync(() => ofBrand(keys, brandId)),
    findByHash: (hash) => Effect.sync(() => Option.fromNullable(keys.get(keyHashes.get(hash)?.keyId ?? ""))),
    revoke: (brandId, keyId, now) =>
      tables.write(() =>
        Option.isSome(
          Option.map(find(keys, brandId, keyId), (key) =>
            keys.put(keyId, { ...key, revokedAt: key.revokedAt ?? now })
          )
        )
      ),
    markUsed: (keyId, minute) =>
      tables.write(() => {
        const key = keys.get(keyId)
        if (key !== undefined)
          keys.put(keyId, { ...key, lastUsedAt: Math.max(key.lastUsedAt ?? minute, minute) })
      })
  })
}
