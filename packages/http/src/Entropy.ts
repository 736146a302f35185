/** The Entropy port over Web Crypto, which Node, browsers and workers all have. */
import { Entropy } from "@lead-signals/domain"
import { Effect, Layer } from "effect"

const poolBytes = 1024

/** A call of the platform costs as much for a few bytes as for many: bytes are drawn ahead, and each is used once. */
const pooled = (): ((length: number) => Uint8Array) => {
  const pool = new Uint8Array(poolBytes)
  let at = poolBytes
  return (length) => {
    if (length > poolBytes) return globalThis.crypto.getRandomValues(new Uint8Array(length))
    if (at + length > poolBytes) {
      globalThis.crypto.getRandomValues(pool)
      at = 0
    }
    const bytes = pool.slice(at, at + length)
    pool.fill(0, at, at + length)
    at += length
    return bytes
  }
}

/** A layer of the port `Entropy` over `crypto.getRandomValues`. Each byte is given once. */
export const webCrypto = Layer.sync(Entropy, () => {
  const bytes = pooled()
  return Entropy.of({ bytes: (length) => Effect.sync(() => bytes(length)) })
})
