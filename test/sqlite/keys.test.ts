/** Keys are remembered as long as nothing is written: by whatever process. */
import { Access, Directory, Operating } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Layer, ManagedRuntime } from "effect"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../TemporaryFolder.ts"

describe("a key that a process remembers", () => {
  it("ends for it with its revocation by itself and by another process [AUTH-6]", async () => {
    const filename = join(temporaryFolder(), "keys.sqlite")
    const open = () => ManagedRuntime.make(Layer.merge(SqliteStore.layer({ filename }), webCrypto))
    const [one, other] = [open(), open()]
    const brand = await one.runPromise(Operating.createBrand("B"))
    for (const [uses, revokes] of [
      [one, other],
      [other, one],
      [one, one]
    ] as const) {
      const { key, value } = await one.runPromise(
        Effect.gen(function* () {
          const { value } = yield* Operating.createKey(brand.id, { label: "k", requestsPerMinute: 60 })
          const keys = yield* (yield* Directory).keys(brand.id)
          return { value, key: keys.at(-1)! }
        })
      )
      const passes = () => uses.runPromise(Effect.isSuccess(Access.authenticate(`Bearer ${value}`)))
      expect([await passes(), await passes()]).toEqual([true, true])
      await revokes.runPromise(Operating.revokeKey(brand.id, key.id))
      expect([await passes(), await passes()]).toEqual([false, false])
    }
    await Promise.all([one.dispose(), other.dispose()])
  })
})
