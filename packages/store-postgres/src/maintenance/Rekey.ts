/**
 * Gives an encrypted database another encryption key while nodes run, or encrypts one that is not encrypted while none do. Both go on where a
 * kill stopped them. [PII-4]
 */
import { StoreUnavailable } from "@lead-signals/domain"
import { type EncryptionKey, keyId } from "@lead-signals/encryption"
import { Effect } from "effect"
import { binaryArray } from "../connection/BinaryArrays.ts"
import type { Connection } from "../connection/Connection.ts"
import { changeEncryption } from "../schema/EncryptionLock.ts"
import { type EncryptionState, readEncryption, verifyKeys } from "../schema/EncryptionState.ts"
import { encryptionMigration } from "../schema/Migrations.ts"
import { type StoreKeys, storeKeys, type WrappedPersonKey } from "../sealing/StoreKeys.ts"
import { refuseServed } from "./Copy.ts"
import { type OnProgress, sealDatabase } from "./Encrypt.ts"
import { exclusively } from "./ExclusiveLock.ts"
import { readVersion } from "./SchemaVersion.ts"
import { rewrapSecrets } from "./SecretRewrap.ts"
import { attempt, inTransaction, session } from "./Session.ts"

/** The keys of `rekey`. */
export interface Rekeying {
  /** The key that the database has now; undefined where it has none. */
  readonly current?: EncryptionKey | undefined
  /** The key that it is to have. */
  readonly target: EncryptionKey | undefined
}

/** What `rekey` did. */
export interface Rekeyed {
  /** False where the database had the key already. */
  readonly changed: boolean
}

const personsAtOnce = 500

const problem = (reason: string): StoreUnavailable => new StoreUnavailable({ reason })

/** Makes the target the key that wraps what is new. Waits for the transactions that wrap under the other one. */
const beginRotation = (sql: Connection, targetId: string): Promise<void> =>
  inTransaction(sql, async () => {
    await changeEncryption(sql)
    await sql.run(
      "UPDATE lead_signals.encryption SET previous_key_id = key_id, key_id = $1 WHERE key_id <> $1",
      [targetId]
    )
  })

/** Wraps some keys of persons anew; an erasure that is under way goes first. Returns how many there were. */
const rewrapPersons = (sql: Connection, keys: StoreKeys, targetId: string): Promise<number> =>
  inTransaction(sql, async () => {
    const rows = await sql.all<WrappedPersonKey>(
      `SELECT brand_id, id, person, key_id, wrapped FROM lead_signals.person_key WHERE key_id <> $1
         ORDER BY brand_id, person LIMIT ${personsAtOnce} FOR UPDATE`,
      [targetId]
    )
    if (rows.length === 0) return 0
    await sql.run(
      `UPDATE lead_signals.person_key k SET key_id = $1, wrapped = given.wrapped
         FROM unnest($2::bigint[], $3::bigint[], $4::bytea[]) AS given(brand_id, id, wrapped)
         WHERE k.brand_id = given.brand_id AND k.id = given.id`,
      [
        targetId,
        rows.map(({ brand_id }) => brand_id),
        rows.map(({ id }) => id),
        binaryArray(
          "bytea",
          rows.map((row) => keys.rewrapPerson(row, targetId))
        )
      ]
    )
    return rows.length
  })

/**
 * Changes the key in steps that can be stopped after each: the table `encryption` names the new key as soon as rows are wrapped under it,
 * and the previous one until none is left. So nodes know which keys they need, and a call after a kill goes on.
 */
const rotate = async (
  sql: Connection,
  state: EncryptionState,
  { keys, targetId }: { readonly keys: StoreKeys; readonly targetId: string },
  onProgress: OnProgress
): Promise<Rekeyed> => {
  const { key_id, previous_key_id } = state
  if (key_id === targetId && previous_key_id === null) return { changed: false }
  if (key_id !== targetId && previous_key_id !== null && previous_key_id !== targetId)
    throw problem(`a change of the key from ${previous_key_id} to ${key_id} is not finished: finish it first`)
  const needed = [key_id, ...(previous_key_id === null ? [] : [previous_key_id])]
  const missing = needed.filter((id) => !keys.ids.includes(id))
  if (missing.length > 0) {
    throw problem(
      `the database's encryption key is ${missing.join(" and ")}, and ${keys.ids.join(" and ")} were given`
    )
  }
  if (key_id !== targetId) await beginRotation(sql, targetId)
  const { n } = (await sql.get<{ n: number }>("SELECT count(*) AS n FROM lead_signals.person_key"))!
  for (let done = 0; ;) {
    const some = await rewrapPersons(sql, keys, targetId)
    if (some === 0) break
    done += some
    onProgress(Math.min(1, done / n), "wrapping the keys of persons")
  }
  await rewrapSecrets(sql, keys, targetId)
  await sql.run("UPDATE lead_signals.encryption SET previous_key_id = NULL WHERE id = 1")
  return { changed: true }
}

const rekeyAll = async (
  sql: Connection,
  { current, target }: Rekeying,
  onProgress: OnProgress
): Promise<Rekeyed> => {
  if ((await readVersion(sql)) < encryptionMigration)
    throw problem("the database is of an older version: start a server of this version on it first")
  if (target === undefined) {
    throw problem(
      "a database on Postgres is not decrypted in place: copy it into a file by `lead-signals copy`, and decrypt that"
    )
  }
  const state = await readEncryption(sql)
  const targetId = keyId(target)
  if (state !== null && state.is_complete)
    return rotate(sql, state, { keys: sql.keys!, targetId }, onProgress)
  if (state !== null && state.key_id !== targetId) {
    throw problem(
      `the encryption of the database under the key ${state.key_id} is not finished: finish it first`
    )
  }
  if (current !== undefined && keyId(current) !== targetId)
    throw problem("the database is not encrypted: give the new key alone")
  await refuseServed(sql)
  await sealDatabase(sql, targetId, onProgress)
  await verifyKeys(sql)
  return { changed: true }
}

/**
 * Brings the database to the target's key. A database that has another one is changed while nodes run, each of which must have both
 * keys; one that has none is sealed row by row, and no server may run on it. A call that was killed is repeated with the same keys.
 * Fails with `StoreUnavailable` for keys that are not those of the database, and on a schema of a newer version. [PII-4, STORE-4]
 */
export const rekey = (
  url: string,
  keys: Rekeying,
  onProgress: OnProgress = () => {}
): Effect.Effect<Rekeyed, StoreUnavailable> =>
  exclusively(
    url,
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* session(url, "lead_signals", storeKeys(keys.target, keys.current))
        return yield* attempt(() => rekeyAll(sql, keys, onProgress))
      })
    )
  )
