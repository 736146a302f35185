/** Whether the database is encrypted and under which key: the row of `encryption`, compared with the keys that a process has. */
import { StoreUnavailable } from "@lead-signals/domain"
import { keyProblemCode } from "@lead-signals/encryption"
import type { Connection } from "../connection/Connection.ts"
import { changeEncryption } from "./EncryptionLock.ts"
import { encryptionMigration } from "./Migrations.ts"

/** The row of `encryption`. */
export interface EncryptionState {
  /** The id of the key that wraps what is new. */
  readonly key_id: string
  /** The id of the key that a rotation replaces, until it has ended. */
  readonly previous_key_id: string | null
  /** False while the rows of a database that was not encrypted are being sealed. */
  readonly is_complete: boolean
}

/** The state of the database; null when it is not encrypted. */
export const readEncryption = async (sql: Connection): Promise<EncryptionState | null> => {
  const row = await sql.get<EncryptionState>(
    "SELECT key_id, previous_key_id, is_complete FROM lead_signals.encryption"
  )
  return row ?? null
}

/** Versions without sealed values would read nothing of them and write over them: the schema refuses them from now on. */
const refuseOlderVersions = `UPDATE lead_signals.migration SET min_version = greatest(min_version, ${encryptionMigration})
  WHERE id = (SELECT max(id) FROM lead_signals.migration)`

/** Notes that the rows of the database are being sealed under the key, unless it is encrypted already. */
export const beginSealing = async (sql: Connection, keyId: string): Promise<void> => {
  await sql.run(
    `WITH newer AS (${refuseOlderVersions})
     INSERT INTO lead_signals.encryption (id, key_id, is_complete) VALUES (1, $1, false) ON CONFLICT DO NOTHING`,
    [keyId]
  )
}

/** The failure of keys that are not those of the database; the code says that another key, or none, mends it. */
const problem = (reason: string): StoreUnavailable =>
  new StoreUnavailable({ reason, cause: Object.assign(new Error(reason), { code: keyProblemCode }) })

const withoutKey = (keyId: string): StoreUnavailable =>
  problem(`the database is encrypted under the key ${keyId}, and no encryption key is set`)

const isAre = (ids: ReadonlyArray<string>): string =>
  `${ids.join(" and ")} ${ids.length === 1 ? "is" : "are"}`

/** The failure of keys that are not those of the database; null when they are. */
const keyProblem = (state: EncryptionState, given: ReadonlyArray<string>): StoreUnavailable | null => {
  if (given.length === 0) return withoutKey(state.key_id)
  if (!given.includes(state.key_id))
    return problem(`the database is encrypted under the key ${state.key_id}, and ${isAre(given)} set`)
  const { previous_key_id: previous } = state
  return previous === null || given.includes(previous)
    ? null
    : problem(
        `the database's encryption key is being changed from ${previous} to ${state.key_id}, and ${isAre(given)} set: set both, or finish by \`lead-signals rekey\``
      )
}

/** Whether the database is encrypted; a schema of before can't be. */
export const isEncrypted = async (sql: Connection): Promise<boolean> => {
  const found = await sql.get<{ readonly has_table: boolean }>(
    "SELECT to_regclass('lead_signals.encryption') IS NOT NULL AS has_table"
  )
  return found!.has_table && (await readEncryption(sql)) !== null
}

/** Whether the process has a key, and the database neither one nor any brand. */
export const awaitsEncryption = async (sql: Connection): Promise<boolean> => {
  if (sql.keys === null) return false
  const found = await sql.get<{ readonly is_empty: boolean }>(
    `SELECT to_regclass('lead_signals.encryption') IS NOT NULL AND NOT EXISTS (SELECT 1 FROM lead_signals.brand) AS is_empty`
  )
  return found!.is_empty && (await readEncryption(sql)) === null
}

/**
 * Encrypts a database without brands under the first of the process' keys, within a transaction. Does nothing where another process has created a
 * brand in the meantime, or has encrypted it. [PII-4]
 */
export const encryptEmpty = async (sql: Connection): Promise<void> => {
  await changeEncryption(sql)
  await sql.run(
    `WITH newer AS (${refuseOlderVersions} AND NOT EXISTS (SELECT 1 FROM lead_signals.brand))
     INSERT INTO lead_signals.encryption (id, key_id, is_complete)
       SELECT 1, $1, true WHERE NOT EXISTS (SELECT 1 FROM lead_signals.brand) ON CONFLICT DO NOTHING`,
    [sql.keys!.firstId]
  )
}

/**
 * Refuses what a process without a key would write in clear text, with `StoreUnavailable`: another one can have encrypted the database after
 * its start. `keyId` is that of the database, null where it is not encrypted. [PII-4]
 */
export const refuseClearText = (sql: Connection, keyId: string | null): void => {
  if (sql.keys === null && keyId !== null) throw withoutKey(keyId)
}

/**
 * Compares the process' keys with the database. Rejects with `StoreUnavailable` for a wrong key, for none where one is needed, and for one
 * where the database is not encrypted. [PII-4]
 */
export const verifyKeys = async (sql: Connection): Promise<void> => {
  // Fails where there is no schema at all.
  const found = await sql.get<{ readonly has_table: boolean }>(
    `SELECT to_regclass('lead_signals.encryption') IS NOT NULL AS has_table,
       EXISTS (SELECT 1 FROM lead_signals.migration) AS is_migrated`
  )
  const state = found!.has_table ? await readEncryption(sql) : null
  if (state === null) {
    if (sql.keys === null) return
    throw problem(
      "the database is not encrypted, and an encryption key is set: encrypt it by `lead-signals rekey`, or start without the key"
    )
  }
  const wrong = keyProblem(state, sql.keys?.ids ?? [])
  if (wrong !== null) throw wrong
  if (!state.is_complete) {
    throw problem("the database is not encrypted as a whole yet: finish by `lead-signals rekey`")
  }
}
