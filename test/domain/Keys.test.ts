import { Brands, Entropy, KeyFormat, Keys, KeyStore, RateLimit, Suppression } from "@lead-signals/domain"
import * as MemoryStore from "@lead-signals/store-memory"
import { Effect, Layer, Option } from "effect"
import { createHash, createHmac } from "node:crypto"
import { crc32 } from "node:zlib"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../harness/Thoroughness.ts"

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const random = fc.uint8Array({
  minLength: KeyFormat.randomBytesNeeded,
  maxLength: KeyFormat.randomBytesNeeded
})

/** Node's own CRC-32 where it has one; by the polynomial otherwise. */
const checksum = (text: string): number => {
  if (typeof crc32 === "function") return crc32(text)
  let value = 0xffffffff
  for (const byte of Buffer.from(text)) {
    value ^= byte
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  }
  return (value ^ 0xffffffff) >>> 0
}

describe("API keys", () => {
  it("read lsk_, 32 random base62 characters and the CRC-32 of all before [AUTH-7]", () => {
    fc.assert(
      fc.property(random, (bytes) => {
        fc.pre(bytes.filter((byte) => byte < 248).length >= 32)
        const key = KeyFormat.fromRandom(bytes)
        expect(key).toMatch(/^lsk_[0-9A-Za-z]{38}$/)
        const value = Array.from(key.slice(-6)).reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
        expect(value).toBe(checksum(key.slice(0, -6)))
        expect(KeyFormat.isWellFormed(key)).toBe(true)
      })
    )
  })

  it("use every digit about equally often [AUTH-7]", () => {
    const counts = new Map<string, number>()
    for (let round = 0; round < 248; round++) {
      const bytes = Uint8Array.from({ length: 128 }, (_, i) => (i * 7 + round) % 248)
      for (const digit of KeyFormat.fromRandom(bytes).slice(4, 36))
        counts.set(digit, (counts.get(digit) ?? 0) + 1)
    }
    expect(counts.size).toBe(62)
    expect(new Set(counts.values()).size).toBe(1)
  })

  it("are refused after any single change [AUTH-7]", () => {
    const key = KeyFormat.fromRandom(Uint8Array.from({ length: 128 }, (_, i) => i))
    fc.assert(
      fc.property(fc.integer({ min: 4, max: key.length - 1 }), fc.constantFrom(...digits), (at, digit) => {
        fc.pre(key[at] !== digit)
        expect(KeyFormat.isWellFormed(key.slice(0, at) + digit + key.slice(at + 1))).toBe(false)
      })
    )
  })

  it("are stored as their SHA-256 [AUTH-4]", () => {
    expect(KeyFormat.hash("lsk_x")).toBe(createHash("sha256").update("lsk_x").digest("hex"))
  })

  it("with a wrong checksum never reach the store, and are made from Entropy alone [AUTH-7]", async () => {
    let lookups = 0
    const taken: Array<number> = []
    const program = Effect.gen(function* () {
      const keyStore = yield* KeyStore
      const brand = yield* Brands.create("B")
      const { value } = yield* Keys.create(brand.id, { label: "k", requestsPerMinute: 60 })
      const watched = KeyStore.of({
        ...keyStore,
        findByHash: (hash) => {
          lookups++
          return keyStore.findByHash(hash)
        }
      })
      const attempt = (key: string) =>
        Effect.isSuccess(Keys.authenticate(key)).pipe(Effect.provideService(KeyStore, watched))
      const wrong = value.slice(0, -1) + (value.endsWith("0") ? "1" : "0")
      expect(yield* attempt(wrong)).toBe(false)
      expect(lookups).toBe(0)
      expect(yield* attempt(value)).toBe(true)
      expect(lookups).toBe(1)
      expect(value).toBe(KeyFormat.fromRandom(Uint8Array.from({ length: 128 }, (_, i) => i + 1)))
    })
    const entropy = Layer.succeed(Entropy, {
      bytes: (length: number) =>
        Effect.sync(() => {
          taken.push(length)
          return Uint8Array.from({ length }, (_, i) => i + 1)
        })
    })
    await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(MemoryStore.layer, entropy))))
    expect(taken).toEqual([Suppression.secretBytes, KeyFormat.randomBytesNeeded])
  })

  it("leave a hash keyed with the brand's secret after an erasure [PII-3]", () => {
    const secret = "ab".repeat(32)
    const expected = createHmac("sha256", Buffer.from(secret, "hex")).update("p-1").digest("hex")
    expect(Suppression.hash(secret, "p-1")).toBe(expected)
    expect(Suppression.hash("cd".repeat(32), "p-1")).not.toBe(expected)
    // One after the other, as over a batch, each is hashed as if alone.
    const hash = Suppression.hasher(secret)
    expect(["p-2", "p-1", "p-2"].map(hash)).toEqual([
      Suppression.hash(secret, "p-2"),
      expected,
      Suppression.hash(secret, "p-2")
    ])
  })

  it("are none when the store knows none [AUTH-2]", async () => {
    const found = Effect.flatMap(KeyStore, (keyStore) => keyStore.findByHash("x"))
    expect(await Effect.runPromise(found.pipe(Effect.provide(MemoryStore.layer)))).toEqual(Option.none())
  })
})

describe("rate windows", () => {
  /** Counts by hand: a request opens a window when none is open, and spends where there is room. */
  const naively = (times: ReadonlyArray<number>, limit: number): ReadonlyArray<boolean> => {
    let opened: number | null = null
    let spent = 0
    return times.map((at) => {
      if (opened === null || at < opened || at - opened >= 60_000) {
        opened = at
        spent = 0
      }
      if (spent === limit) return false
      spent++
      return true
    })
  }

  it("hold so many requests in 60 s from the first, and a refused one spends nothing [RATE-1, RATE-3]", () => {
    const times = fc.array(fc.nat(25_000), { maxLength: 60 }).map((gaps) =>
      gaps.map(
        (
          (at) => (gap: number) =>
            (at += gap)
        )(1e6)
      )
    )
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 8 }), (all, limit) => {
        let window: RateLimit.RateWindow | null = null
        const allowed = all.map((now) => {
          const step = RateLimit.spend(window, limit, now)
          window = step.window
          const { decision } = step
          expect(decision.remaining).toBe(limit - step.window.used)
          expect(decision.resetAt).toBe(step.window.startedAt + 60_000)
          expect(decision.retryAfterSeconds).toBeGreaterThanOrEqual(1)
          expect(decision.retryAfterSeconds).toBeLessThanOrEqual(60)
          return decision.allowed
        })
        expect(allowed).toEqual(naively(all, limit))
      }),
      { numRuns: cases(3000) }
    )
  })

  it("let a client that waits as long as Retry-After says pass [RATE-3]", () => {
    fc.assert(
      fc.property(fc.nat(59_999), (wait) => {
        const first = RateLimit.spend(null, 1, 5000)
        const refused = RateLimit.spend(first.window, 1, 5000 + wait).decision
        expect(refused.allowed).toBe(false)
        const again = 5000 + wait + refused.retryAfterSeconds * 1000
        expect(RateLimit.spend(first.window, 1, again).decision.allowed).toBe(true)
      })
    )
  })

  it("of which several are known go on with the one that began last and has most requests used [RATE-3]", () => {
    const window = fc.option(fc.record({ startedAt: fc.nat(3), used: fc.integer({ min: 1, max: 3 }) }))
    fc.assert(
      fc.property(fc.array(window, { minLength: 2, maxLength: 4 }), (known) => {
        const [last = null] = known
          .filter((each) => each !== null)
          .toSorted((a, b) => b.startedAt - a.startedAt || b.used - a.used)
        expect(known.reduce(RateLimit.laterWindow)).toEqual(last)
      })
    )
  })

  it("do not keep a key out when the clock was set back [RATE-3]", () => {
    const { window } = RateLimit.spend(null, 1, 10_000_000)
    expect(RateLimit.spend(window, 1, 5000).decision.allowed).toBe(true)
  })
})
