/**
 * The key of an encrypted file. The first 16 bytes of such a file are a marker and the id of its key, where ChaCha20-Poly1305 of
 * SQLite3 Multiple Ciphers keeps its salt, which a raw key does not use: the file says by itself which key it needs. [PII-4]
 */
import type BetterSqlite3 from "better-sqlite3"
import { openSync, readSync, statSync } from "node:fs"
import { DatabaseProblem } from "./DatabaseProblem.ts"

/** A file's key as plain data, so that a thread can be given it. */
export interface FileKey {
  /** The public id of the encryption key. */
  readonly id: string
  /** The 32 bytes that encrypt the file, as hex. */
  readonly hex: string
}

const markerBytes = 8
const marker = Buffer.from("LeadSig\u0001", "latin1")

const rawKey = ({ hex, id }: FileKey): string => `raw:${hex}${marker.toString("hex")}${id}`

/** Gives the key to a connection that has read nothing yet. What SQLite would spill into temporary files stays in memory: those are not encrypted. */
export const useKey = (db: BetterSqlite3.Database, key: FileKey): void => {
  db.pragma("cipher = 'chacha20'")
  db.pragma(`key = '${rawKey(key)}'`)
  db.pragma("temp_store = MEMORY")
}

/** Encrypts the file of the connection under another key, or decrypts it. */
export const changeKey = (db: BetterSqlite3.Database, key: FileKey | undefined): void => {
  db.pragma("cipher = 'chacha20'")
  db.pragma(`rekey = '${key === undefined ? "" : rawKey(key)}'`)
}

/** The first bytes of a file: those of a plain SQLite file, of one under the key with that id, or others. */
export type Header = "plain" | "other" | { readonly keyId: string }

/** Files whose header was read, by device and inode. Closing one would release the locks that this process holds on it. */
const heldOpen = new Map<string, number>()

/** Reads the header of a file that could not be opened as it was tried. */
export const headerOf = (filename: string): Header => {
  const { dev, ino } = statSync(filename, { bigint: true })
  const fd = heldOpen.get(`${dev}:${ino}`) ?? openSync(filename, "r")
  heldOpen.set(`${dev}:${ino}`, fd)
  const bytes = Buffer.alloc(16)
  readSync(fd, bytes, 0, bytes.length, 0)
  if (bytes.toString("latin1") === "SQLite format 3\0") return "plain"
  if (!bytes.subarray(0, markerBytes).equals(marker)) return "other"
  return { keyId: bytes.subarray(markerBytes).toString("hex") }
}

/** A file whose encryption does not fit the key that is set, or its absence. The code is `keyProblemCode` of the encryption package. */
export class KeyProblem extends DatabaseProblem {
  readonly code = "ENCRYPTION_KEY"
}

/** Why a file that is no SQLite file to the key, or without one, can't be opened; null where its header does not say. */
export const keyProblem = (filename: string, key: FileKey | undefined): KeyProblem | null => {
  const header = headerOf(filename)
  if (header === "other") return null
  if (header === "plain") {
    return key === undefined
      ? null
      : new KeyProblem(
          `${filename} is not encrypted, and an encryption key is set: encrypt the file with lead-signals rekey, or set no key`
        )
  }
  const encrypted = `${filename} is encrypted under the key with the id ${header.keyId}`
  if (key === undefined) return new KeyProblem(`${encrypted}, and no encryption key is set`)
  return key.id === header.keyId
    ? null
    : new KeyProblem(`${encrypted}, and the encryption key that is set has the id ${key.id}`)
}
