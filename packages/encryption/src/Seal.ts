/**
 * Sealed values: AES-256-GCM with a random nonce. A sealed value is bound to its context, so it opens in no other row or column. The
 * layout is a version byte (1), 12 bytes of nonce, the ciphertext, and 16 bytes of tag.
 */
import { createCipheriv, createDecipheriv, createSecretKey, KeyObject, randomFillSync } from "node:crypto"
import { Data, Either } from "effect"

const version = 1
const nonceBytes = 12
const tagBytes = 16

/** Bytes by which a sealed value is longer than its plaintext. */
export const overhead = 1 + nonceBytes + tagBytes

/**
 * A sealed value that does not open. `Damaged`: its bytes are no sealed value of a version that is known here. `Refused`: another key or
 * another context sealed it, or its bytes were changed; nobody can tell which.
 */
export class Unopened extends Data.TaggedError("Unopened")<{
  /** Whether the bytes are no sealed value at all, or one that does not open here. */
  readonly reason: "Damaged" | "Refused"
}> {
  /** What is wrong, without any part of the value. */
  override get message(): string {
    return this.reason === "Damaged"
      ? "These bytes are no sealed value of a known version."
      : "Another key or context sealed this value, or it was changed."
  }
}

/** The version is authenticated with the context, so a later version can't be passed off as this one. */
const versionText = String.fromCharCode(version)
const associated = (context: string): Uint8Array => Buffer.from(versionText + context, "utf8")

/** A `KeyObject` of Node, as `createSecretKey` makes it. Its own type would ask hosts without Node for Node's types. */
export interface SecretKeyObject {
  /** `"secret"`. */
  readonly type: string
  /** 32. */
  readonly symmetricKeySize?: number | undefined
}

/** A key of 32 bytes; whoever uses one often makes the object once. */
export type SealingKey = Uint8Array | SecretKeyObject

/** Node spends 9 µs more on a cipher under the bytes of a key than under a key object. */
const keyObject = (key: SealingKey): KeyObject => {
  if (key instanceof KeyObject) return key
  if (key instanceof Uint8Array) return createSecretKey(key)
  throw new TypeError("A sealing key is 32 bytes, or a KeyObject of Node")
}

/** Random bytes for nonces, drawn many at a time. */
const pool = Buffer.alloc(340 * nonceBytes)
let used = pool.length

const nextNonce = (): Uint8Array => {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += nonceBytes
  return pool.subarray(used - nonceBytes, used)
}

/**
 * Seals the bytes under a key of 32 bytes for the context, such as `webhook:3:7`. Throws a `RangeError` for a key of another length. Two
 * calls with the same arguments give different values. One key may seal 2³² values.
 */
export const seal = (key: SealingKey, plaintext: Uint8Array, context: string): Uint8Array => {
  const nonce = nextNonce()
  const cipher = createCipheriv("aes-256-gcm", keyObject(key), nonce)
  cipher.setAAD(associated(context))
  const sealed = new Uint8Array(overhead + plaintext.length)
  sealed[0] = version
  sealed.set(nonce, 1)
  sealed.set(cipher.update(plaintext), 1 + nonceBytes)
  cipher.final()
  sealed.set(cipher.getAuthTag(), sealed.length - tagBytes)
  return sealed
}

/**
 * Opens what `seal` made with the same key and context. Fails with `Unopened` for another key, another context or damaged bytes, and
 * then gives no part of the plaintext. Throws a `RangeError` for a key of another length than 32 bytes.
 */
export const open = (
  key: SealingKey,
  sealed: Uint8Array,
  context: string
): Either.Either<Uint8Array, Unopened> => {
  if (sealed.length < overhead || sealed[0] !== version)
    return Either.left(new Unopened({ reason: "Damaged" }))
  const decipher = createDecipheriv("aes-256-gcm", keyObject(key), sealed.subarray(1, 1 + nonceBytes), {
    authTagLength: tagBytes
  })
  decipher.setAAD(associated(context))
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes))
  const plaintext = decipher.update(sealed.subarray(1 + nonceBytes, sealed.length - tagBytes))
  try {
    decipher.final()
  } catch {
    return Either.left(new Unopened({ reason: "Refused" }))
  }
  return Either.right(new Uint8Array(plaintext))
}
