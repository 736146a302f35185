/**
 * Secrets as a store keeps them in columns of text: wrapped under its encryption key, `wrapped:1:KEY ID:BASE64URL`. The id says which
 * key wrapped a secret, so a rotation that was stopped knows what is left. No secret of a webhook or brand begins with `wrapped:`.
 */
import { Data, Either } from "effect"
import { deriveKey, type EncryptionKey, keyId, keyLabels } from "./EncryptionKey.ts"
import { open, seal } from "./Seal.ts"

const prefix = "wrapped:1:"
const form = /^wrapped:1:([0-9a-f]{16}):([\w-]+)$/

/** The contexts of the wrapped secrets: each is bound to its row. */
export const secretContexts = {
  /** A webhook's secrets. */
  webhook: (brandId: string | number, webhookId: string | number): string =>
    `webhook:${brandId}:${webhookId}`,
  /** The secret under which a brand hashes erased persons. */
  suppression: (brandId: string | number): string => `suppression:${brandId}`
} as const

/** Whether the text is a wrapped secret, under any key. */
export const isWrapped = (stored: string): boolean => stored.startsWith(prefix)

/** The id of the key that wrapped the secret; undefined for a text that is not wrapped. */
export const wrappingKeyId = (stored: string): string | undefined => form.exec(stored)?.[1]

/** A secret that can't be read. The message says what to do and holds no part of the secret. */
export class UnreadableSecret extends Data.TaggedError("UnreadableSecret")<{
  /** `NoKey`: it is wrapped and no key was given. `OtherKey`: another key wrapped it. `Damaged`: it was changed or moved. */
  readonly reason: "NoKey" | "OtherKey" | "Damaged"
  /** What is wrong, and the ids of the keys, without any part of the secret. */
  readonly message: string
}> {}

/** Wraps and unwraps secrets under one key. */
export interface SecretWrapper {
  /** The public identifier of the key that wraps, which each wrapped secret names. */
  readonly keyId: string
  /** The secret as the store keeps it, bound to the context. */
  readonly wrap: (secret: string, context: string) => string
  /**
   * The secret of a stored text; a text that is not wrapped is the secret itself. Fails with `UnreadableSecret` when another key
   * wrapped it, or it was changed or moved from another context.
   */
  readonly unwrap: (stored: string, context: string) => Either.Either<string, UnreadableSecret>
}

const unreadable = (reason: UnreadableSecret["reason"], message: string) =>
  Either.left(new UnreadableSecret({ reason, message }))

/** Unwraps with no key: a text that is not wrapped is the secret; a wrapped one fails with `NoKey`. */
export const unwrapWithout = (stored: string): Either.Either<string, UnreadableSecret> =>
  isWrapped(stored)
    ? unreadable("NoKey", "The store's secrets are wrapped under an encryption key, and none is set.")
    : Either.right(stored)

/** Makes the wrapper of a key. It derives its own key from it once. */
export const wrapper = (key: EncryptionKey): SecretWrapper => {
  const id = keyId(key)
  const wrappingKey = deriveKey(key, keyLabels.secrets)
  return {
    keyId: id,
    wrap: (secret, context) =>
      `${prefix}${id}:${Buffer.from(seal(wrappingKey, Buffer.from(secret, "utf8"), context)).toString("base64url")}`,
    unwrap: (stored, context) => {
      if (!isWrapped(stored)) return Either.right(stored)
      const [, storedId, sealed] = form.exec(stored) ?? []
      if (sealed === undefined) return unreadable("Damaged", "A wrapped secret is damaged.")
      if (storedId !== id)
        return unreadable("OtherKey", `The key ${storedId} wrapped a secret, and the key ${id} is set.`)
      return Either.match(open(wrappingKey, Buffer.from(sealed, "base64url"), context), {
        onLeft: () => unreadable("Damaged", "A wrapped secret was changed, or moved from another row."),
        onRight: (secret) => Either.right(Buffer.from(secret).toString("utf8"))
      })
    }
  }
}
