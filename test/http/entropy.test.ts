import { Entropy } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { Effect, Encoding } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("the platform's random bytes", () => {
  it("come in the length that is asked for, and no byte is given away twice [AUTH-7]", () =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 8, max: 1500 }), { minLength: 2, maxLength: 60 }), (lengths) => {
        const drawn = Effect.runSync(
          Effect.provide(
            Effect.flatMap(Entropy, (entropy) =>
              Effect.forEach(lengths, (length) =>
                Effect.tap(
                  // The caller may do with them as it pleases.
                  Effect.map(entropy.bytes(length), (bytes) => ({
                    copy: Uint8Array.from(bytes),
                    bytes
                  })),
                  ({ bytes }) => Effect.sync(() => bytes.fill(1))
                )
              )
            ),
            webCrypto
          )
        )
        expect(drawn.map(({ copy }) => copy.length)).toEqual(lengths)
        // Any eight in a row: of 2⁶⁴ none comes twice by chance.
        const eights = drawn.flatMap(({ copy }) =>
          Array.from({ length: Math.floor(copy.length / 8) }, (_, i) =>
            Encoding.encodeHex(copy.subarray(8 * i, 8 * i + 8))
          )
        )
        expect(new Set(eights).size).toBe(eights.length)
      })
    ))
})
