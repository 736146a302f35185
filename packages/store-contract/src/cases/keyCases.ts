/** What every store must do with keys and their rate windows. */
import { Brands, KeyFormat, Keys, KeyStore, RateLimit, RateWindows } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { assertEqual, assertThat } from "../Assertions.ts"
import { type Case, caseOf } from "../StoreUnderTest.ts"
import { twoBrands } from "../TwoBrands.ts"

/** Whether a request with the key would be let in. */
export const works = (value: string) =>
  Effect.gen(function* () {
    const keyStore = yield* KeyStore
    const found = Option.getOrNull(yield* keyStore.findByHash(KeyFormat.hash(value)))
    return found !== null && found.revokedAt === null
  })

/** Creation, listing, last use and revocation, and that each key has its own window. [AUTH-4 … AUTH-8, RATE-1 … RATE-4] */
export const keyCases: ReadonlyArray<Case> = [
  caseOf(
    "keeps several keys of a brand, lists them by their start, revokes each alone [AUTH-4, AUTH-5, AUTH-6, AUTH-8]",
    (clock) =>
      Effect.gen(function* () {
        const keyStore = yield* KeyStore
        const [brand, other] = yield* twoBrands
        const make = (label: string) => Keys.create(brand.id, { label, requestsPerMinute: 7 })
        const [first, second] = [yield* make("first"), yield* make("second")]
        const bothWork = Effect.all([works(first.value), works(second.value)])
        assertEqual("KeyStore.findByHash, whether each of two keys works", yield* bothWork, [true, true])

        const listed = yield* keyStore.list(brand.id)
        assertEqual(
          "KeyStore.list, label and start",
          listed.map((key) => [key.label, key.start]),
          [
            ["first", first.value.slice(0, 12)],
            ["second", second.value.slice(0, 12)]
          ]
        )
        assertThat("KeyStore.list has a key's value", !JSON.stringify(listed).includes(first.value))
        assertEqual("KeyStore.list of another brand", yield* keyStore.list(other.id), [])

        const now = clock.millis
        const crossed = yield* keyStore.revoke(other.id, first.key.id, now)
        assertEqual("KeyStore.revoke of another brand's key", crossed, false)
        assertEqual("KeyStore.revoke", yield* keyStore.revoke(brand.id, first.key.id, now), true)
        assertEqual("KeyStore.findByHash, whether each works, the first revoked", yield* bothWork, [
          false,
          true
        ])
        yield* keyStore.revoke(brand.id, first.key.id, now + 5000)
        const [revoked] = yield* keyStore.list(brand.id)
        assertEqual("KeyStore.revoke once more, revokedAt", revoked!.revokedAt, now)
      })
  ),

  caseOf("shows a key's last use to the minute, and never moves it back [AUTH-8]", (clock) =>
    Effect.gen(function* () {
      const keyStore = yield* KeyStore
      const brand = yield* Brands.create("A")
      const { key, value } = yield* Keys.create(brand.id, { label: "k", requestsPerMinute: 7 })
      const lastUsed = Effect.map(keyStore.list(brand.id), ([key]) => key!.lastUsedAt)
      assertEqual("KeyStore.list, lastUsedAt before any use", yield* lastUsed, null)
      const minute = Date.UTC(2026, 0, 2, 10, 5)
      clock.millis = minute + 34_567
      yield* Keys.authenticate(value)
      assertEqual("KeyStore.markUsed, lastUsedAt", yield* lastUsed, minute)
      yield* keyStore.markUsed(key.id, minute - 3_600_000)
      assertEqual("KeyStore.markUsed of an earlier minute, lastUsedAt", yield* lastUsed, minute)
    })
  ),

  caseOf("steps each key's rate window alone, and atomically [RATE-1, RATE-4]", (clock) =>
    Effect.gen(function* () {
      const windows = yield* RateWindows
      const spend = (keyId: string) => windows.step(keyId, (window, now) => RateLimit.spend(window, 10, now))
      const decisions = yield* Effect.all(
        Array.from({ length: 25 }, () => spend("71")),
        { concurrency: "unbounded" }
      )
      const allowed = decisions.filter((decision) => decision.allowed).length
      assertEqual("RateWindows.step, allowed of 25 requests at once with a limit of 10", allowed, 10)
      const what = "RateWindows.step, remaining of 10"
      assertEqual(`${what} after the first request of another key`, (yield* spend("72")).remaining, 9)
      // Early on the clock, a window that was never opened must not pass for one that is open.
      clock.millis = 30_000
      assertEqual("RateWindows.step, resetAt of a new window", (yield* spend("73")).resetAt, 90_000)
      clock.millis = Date.UTC(2026, 5, 1)
      assertEqual(`${what} in the next window`, (yield* spend("71")).remaining, 9)
    })
  )
]
