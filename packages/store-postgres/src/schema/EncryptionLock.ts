/** The advisory lock of the encryption: shared by those who rely on how it is, exclusive to who changes it. It ends with the transaction. */
import { hash } from "node:crypto"
import type { Connection } from "../connection/Connection.ts"

/** The number of the lock. */
export const encryptionLock: bigint = Buffer.from(hash("sha1", "encryption 0 ", "hex"), "hex").readBigInt64BE(
  0
)

/** Keeps the encryption as it is until the end of the transaction: whether there is any, and the key that wraps what is new. */
export const holdEncryption = async (sql: Connection): Promise<void> => {
  await sql.get("SELECT pg_advisory_xact_lock_shared($1)", [String(encryptionLock)])
}

/** Waits for those who hold the encryption, and keeps others waiting until the end of the transaction: for a change of it. */
export const changeEncryption = async (sql: Connection): Promise<void> => {
  await sql.get("SELECT pg_advisory_xact_lock($1)", [String(encryptionLock)])
}
