/** The encryption key of a store, which never shows itself, and the keys that are derived from it. [PII-4] */
import { hkdfSync, randomBytes } from "node:crypto"
import { Data, Either, Inspectable } from "effect"

/** Bytes of an encryption key, and of each key that is derived from it. */
export const keyBytes = 32

/** Characters of a key's id: 64 bits as hex. */
const idBytes = 8

/** The bytes of each key; no property of a key leads to them. */
const bytesOf = new WeakMap<EncryptionKey, Uint8Array>()

const placeholder = "<an encryption key>"

/** A key of 32 bytes. Printing, serialising or inspecting it gives a placeholder. */
class Key {
  /** Tells a key from other values. */
  readonly _tag = "EncryptionKey"
  /** A placeholder. */
  toString(): string {
    return placeholder
  }
  /** A placeholder. */
  toJSON(): string {
    return placeholder
  }
  [Inspectable.NodeInspectSymbol](): string {
    return placeholder
  }
}

/** A key of 32 bytes. Printing, serialising or inspecting it gives a placeholder. */
export type EncryptionKey = Key

/** Whether the value is a key that `parseEncryptionKey` made. */
export const isEncryptionKey = (value: unknown): value is EncryptionKey => value instanceof Key

/** Why a text is no encryption key. The message holds no part of the text. */
export class InvalidEncryptionKey extends Data.TaggedError("InvalidEncryptionKey")<{
  /** What a key looks like, and what is wrong with the length of the text. */
  readonly message: string
}> {}

/** The bytes that the text encodes; none when it is in none of the forms, or not in the one spelling of its bytes. */
const decoded = (text: string): Uint8Array | undefined => {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex")
  const plain = text.replace(/=$/, "")
  for (const form of ["base64", "base64url"] as const) {
    const bytes = Buffer.from(plain, form)
    // Node passes over characters that it does not know; writing the bytes again shows whether it has.
    if (bytes.length === keyBytes && bytes.toString(form).replace(/=$/, "") === plain) return bytes
  }
  return undefined
}

/**
 * Reads a key: 32 bytes as base64 (with its padding or without), base64url or hex, with white space around it ignored. Fails with
 * `InvalidEncryptionKey`, whose message never shows the text.
 */
export const parseEncryptionKey = (text: string): Either.Either<EncryptionKey, InvalidEncryptionKey> => {
  const trimmed = text.trim()
  const bytes = decoded(trimmed)
  if (bytes === undefined) {
    const found =
      trimmed === ""
        ? "this is empty"
        : `this has ${trimmed.length} characters, or characters of no such form`
    return Either.left(
      new InvalidEncryptionKey({
        message: `An encryption key is ${keyBytes} bytes as base64, base64url or hex (44, 43 or 64 characters); ${found}.`
      })
    )
  }
  const key = new Key()
  bytesOf.set(key, Uint8Array.from(bytes))
  return Either.right(key)
}

/** A fresh key of 32 random bytes as base64. */
export const generateEncryptionKey = (): string => randomBytes(keyBytes).toString("base64")

/** Derives `length` bytes for the label by HKDF-SHA256 without a salt. */
const derive = (key: EncryptionKey, label: string, length: number): Uint8Array => {
  const bytes = bytesOf.get(key)
  if (bytes === undefined) throw new TypeError("This is no key that parseEncryptionKey made")
  return new Uint8Array(hkdfSync("sha256", bytes, new Uint8Array(0), `lead-signals/${label}`, length))
}

/** The `code` of the cause of a store's failure that another key, or none, would mend. */
export const keyProblemCode = "ENCRYPTION_KEY"

/** The labels of the derived keys that the stores use. */
export const keyLabels = {
  /** Encrypts a SQLite file. */
  databaseFile: "database-file",
  /** Wraps the secrets of webhooks and brands. */
  secrets: "secrets",
  /** Wraps the keys of persons. */
  personKeys: "person-keys"
} as const

/**
 * Derives a key of 32 bytes for one use, by HKDF-SHA256. Different labels give independent keys, and none leads back to `key`.
 * `keyLabels` has the labels of the stores; a host chooses others for uses of its own.
 */
export const deriveKey = (key: EncryptionKey, label: string): Uint8Array =>
  derive(key, `key/${label}`, keyBytes)

/**
 * The public identifier of a key: 16 hex digits, derived by HKDF, so that it tells two keys apart and nothing else. A store keeps it, and
 * can say that another key is needed without trying one.
 */
export const keyId = (key: EncryptionKey): string => Buffer.from(derive(key, "id", idBytes)).toString("hex")
