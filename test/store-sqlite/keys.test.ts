/** API keys and tokens over one file: their revocation by any process, and their last use. */
import { AccessTokens, AccessTokenStore, Brands, Keys, KeyStore } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { SettableClock } from "@lead-signals/store-contract"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Layer, ManagedRuntime } from "effect"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { raw } from "../harness/RawFile.ts"

describe("a key that a process has found", () => {
  it("ends for it with its revocation by itself and by another process [AUTH-5, STORE-3]", async () => {
    const filename = join(temporaryFolder(), "keys.sqlite")
    const open = () => ManagedRuntime.make(Layer.merge(SqliteStore.layer({ filename }), webCrypto))
    const [one, other] = [open(), open()]
    const brand = await one.runPromise(Brands.create("B"))
    for (const [uses, revokes] of [
      [one, other],
      [other, one],
      [one, one]
    ] as const) {
      const { key, value } = await one.runPromise(
        Effect.gen(function* () {
          const { value } = yield* Keys.create(brand.id, { label: "k", requestsPerMinute: 60 })
          const keys = yield* (yield* KeyStore).list(brand.id)
          return { value, key: keys.at(-1)! }
        })
      )
      const passes = () => uses.runPromise(Effect.isSuccess(Keys.authenticate(value)))
      expect([await passes(), await passes()]).toEqual([true, true])
      await revokes.runPromise(Keys.revoke(brand.id, key.id))
      expect([await passes(), await passes()]).toEqual([false, false])
    }
    await Promise.all([one.dispose(), other.dispose()])
  })
})

describe("a key's last use", () => {
  const lastUseIn = (filename: string) =>
    raw(filename, (db) => db.prepare("SELECT last_used_at FROM api_key").pluck().get() as number | null)

  /** A store with a key, whose file another process keeps locked for writing. */
  const locked = async () => {
    const filename = join(temporaryFolder(), "uses.sqlite")
    const runtime = ManagedRuntime.make(Layer.merge(SqliteStore.layer({ filename }), webCrypto))
    const brand = await runtime.runPromise(Brands.create("B"))
    const { value } = await runtime.runPromise(Keys.create(brand.id, { label: "k", requestsPerMinute: 60 }))
    const lock = new Database(filename)
    lock.exec("BEGIN IMMEDIATE")
    return {
      filename,
      runtime,
      authenticate: () => runtime.runPromise(Keys.authenticate(value)),
      rendered: async () => {
        const keyStore = await runtime.runPromise(KeyStore)
        const [key] = await runtime.runPromise(keyStore.list(brand.id))
        return key!.lastUsedAt
      },
      unlock: () => {
        lock.exec("ROLLBACK")
        lock.close()
      }
    }
  }

  it("is written behind the request, which waits for no other writer [AUTH-8]", async () => {
    const { authenticate, filename, runtime, rendered, unlock } = await locked()
    const startedAt = performance.now()
    for (let i = 0; i < 20; i++) await authenticate()
    // A single wait for the lock takes 10 s.
    expect(performance.now() - startedAt).toBeLessThan(9000)
    const lastUse = await rendered()
    expect([lastUse === null, lastUseIn(filename)]).toEqual([false, null])
    unlock()
    await runtime.dispose()
    expect(lastUseIn(filename)).toBe(lastUse)
  })

  it("of a key and of a token is shown before it is written, also where there is an earlier one [AUTH-8, OPER-11]", async () => {
    const filename = join(temporaryFolder(), "later.sqlite")
    const clock = new SettableClock(Date.UTC(2026, 0, 1))
    const runtime = ManagedRuntime.make(Layer.merge(SqliteStore.layer({ filename }), webCrypto))
    const run = <A, E>(work: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Context<typeof runtime>>) =>
      runtime.runPromise(clock.provide(work))
    const brand = await run(Brands.create("B"))
    const key = await run(Keys.create(brand.id, { label: "k", requestsPerMinute: 60 }))
    const token = await run(
      AccessTokens.create({ name: "t", scopes: ["read"], brandIds: null, expiresAt: null })
    )
    const use = () => run(Effect.all([Keys.authenticate(key.value), AccessTokens.authenticate(token.value)]))
    const rendered = () =>
      run(
        Effect.gen(function* () {
          const [keys, tokens] = [yield* KeyStore, yield* AccessTokenStore]
          const all = [...(yield* keys.list(brand.id)), ...(yield* tokens.list)]
          return all.map(({ lastUsedAt }) => lastUsedAt)
        })
      )
    const written = () =>
      raw(filename, (db) =>
        db
          .prepare("SELECT last_used_at FROM api_key UNION ALL SELECT last_used_at FROM access_token")
          .pluck()
          .all()
      )
    const early = clock.millis
    await use()
    await expect.poll(written).toEqual([early, early])
    clock.millis += 3_600_000
    const lock = new Database(filename)
    lock.exec("BEGIN IMMEDIATE")
    await use()
    const late = clock.millis
    expect([await rendered(), written()]).toEqual([
      [late, late],
      [early, early]
    ])
    lock.exec("ROLLBACK")
    lock.close()
    await runtime.dispose()
    expect(written()).toEqual([late, late])
  })
})
