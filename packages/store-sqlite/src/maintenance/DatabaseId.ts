/** The name by which a database knows itself and its backups. [REST-6] */
import { openToRead } from "../connection/Driver.ts"
import { encryptionOf, type EncryptionOptions } from "../connection/StoreEncryption.ts"

/**
 * Reads the name that the database of a file gave itself when it was made; its backups, and what is restored of them, have the same. Null where
 * the file can't be read, such as one under another key, or is of a version without names. Never throws.
 */
export const databaseIdOf = (filename: string, encryption: EncryptionOptions | undefined): string | null => {
  try {
    const db = openToRead(filename, encryptionOf(encryption).fileKey)
    try {
      const id: unknown = db.prepare("SELECT database_id FROM removal_journal").pluck().get()
      return typeof id === "string" && id !== "" ? id : null
    } finally {
      db.close()
    }
  } catch {
    return null
  }
}
