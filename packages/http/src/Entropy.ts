/** The Entropy port over Web Crypto, which Node, browsers and workers all have. */
import { Entropy } from "@lead-signals/domain"
import { Effect, Layer } from "effect"

export const webCrypto = Layer.succeed(
  Entropy,
  Entropy.of({
    bytes: (length) => Effect.sync(() => globalThis.crypto.getRandomValues(new Uint8Array(length)))
  })
)
