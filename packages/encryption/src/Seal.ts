/**
 * Sealed values: AES-256-GCM with a random nonce. A sealed value is bound to its context, so it opens in no other row or column. The
 * layout is a version byte (1), 12 bytes of nonce, the ciphertext, and 16 bytes of tag.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
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
const associated = (context: string): Uint8Array =>
  Buffer.concat([Uint8Array.of(version), Buffer.from(context, "utf8")])

/**
 * Seals the bytes under a key of 32 bytes for the context, such as `webhook:3:7`. Throws a `RangeError` for a key of another length. Two
 * calls with the same arguments give different values. One key may seal 2³² values.
 */
export const seal = (key: Uint8Array, plaintext: Uint8Array, context: string): Uint8Array => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv("aes-256-gcm", key, nonce)
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
  key: Uint8Array,
  sealed: Uint8Array,
  context: string
): Either.Either<Uint8Array, Unopened> => {
  if (sealed.length < overhead || sealed[0] !== version)
    return Either.left(new Unopened({ reason: "Damaged" }))
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(1, 1 + nonceBytes), {
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
  return Either.right(Uint8Array.from(plaintext))
}
