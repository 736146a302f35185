/** How a store is encrypted: the key of its file, and the wrapping of its secrets. */
import {
  deriveKey,
  type EncryptionKey,
  keyId,
  keyLabels,
  type SecretWrapper,
  wrapper
} from "@lead-signals/encryption"
import type { FileKey } from "./FileKey.ts"

/** The options of an encrypted store. */
export interface EncryptionOptions {
  /** The key, as `parseEncryptionKey` of `@lead-signals/encryption` reads it. */
  readonly key: EncryptionKey
  /**
   * `"file"` unless given: the file, its log and the file of rate windows are encrypted, by the optional driver
   * `better-sqlite3-multiple-ciphers`, and secrets are wrapped in it. `"secrets"`: only secrets are wrapped, in a plain file.
   */
  readonly scope?: "file" | "secrets"
}

/** The key of a file, and the wrapper of secrets; neither without a key. */
export interface StoreEncryption {
  readonly fileKey: FileKey | undefined
  readonly secrets: SecretWrapper | undefined
}

/** The key of a file under the encryption key. */
export const fileKeyOf = (key: EncryptionKey): FileKey => ({
  id: keyId(key),
  hex: Buffer.from(deriveKey(key, keyLabels.databaseFile)).toString("hex")
})

/** The derived keys of the options; a plain store without options. */
export const encryptionOf = (options: EncryptionOptions | undefined): StoreEncryption =>
  options === undefined
    ? { fileKey: undefined, secrets: undefined }
    : {
        fileKey: options.scope === "secrets" ? undefined : fileKeyOf(options.key),
        secrets: wrapper(options.key)
      }
