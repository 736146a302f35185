/**
 * Locks that end with the transaction: of persons and engagements, which may have no row yet, and of brands. All are taken by one
 * statement in one order, before any row is locked. They are Postgres' advisory locks; a table of locks could take their place.
 *
 * No two transactions wait for each other, since each takes its locks in the order of `lockOrder`: tables as they stand there, and rows of
 * one table in the order of their keys. What only passes over rows that others hold (`SKIP LOCKED`) waits for nobody, and may come at any
 * time. Rows of the other tables are changed only by who holds what covers them: `coveredBy` says what that is. Two things are out of
 * order, and safe for another reason:
 *
 * - A removal that forgets which leads went long ago changes the brand's row after its version. The other transaction that takes both, the
 *   end of the brand's deletion, begins only when the brand has no lead, and the removal holds one.
 * - A host's own transaction can hold locks of the host, and of earlier pieces of work. If it and another wait for each other, Postgres ends
 *   one of them with a deadlock, and the store does not try again.
 */
import { hash } from "node:crypto"
import { binaryArray } from "../connection/BinaryArrays.ts"
import type { Connection } from "../connection/Connection.ts"
import { plannerSettings } from "../query/PlannerSettings.ts"
import { encryptionLock, holdEncryption } from "../schema/EncryptionLock.ts"
import { readEncryption, refuseClearText } from "../schema/EncryptionState.ts"

/** Tables whose rows a transaction may wait for, in the order in which it takes them. `advisory` stands for the locks of this module. */
export const lockOrder = [
  "idempotency_record",
  "advisory",
  "pruning",
  "brand",
  "webhook",
  "lead",
  "delivery",
  "suppression",
  "person_key",
  "rate_window",
  "api_key",
  "signal",
  "campaign",
  "brand_version",
  "delivery_count"
] as const

/** Tables whose rows are changed, but for those that a transaction inserts, only while it holds the row that covers them. */
export const coveredBy = {
  lead_text: ["lead"],
  lead_signal: ["lead"],
  event: ["lead"],
  // A pruning removes those that nobody holds, without their leads.
  engagement: ["lead"],
  delivery_body: ["delivery"],
  attempt: ["delivery"],
  reading: ["campaign"],
  lead_count: ["brand_version"],
  lead_bucket: ["brand_version"],
  // The end of a brand's deletion removes those of a brand without leads, which nobody else writes, and holds the brand.
  changed_lead: ["brand_version", "lead"]
} as const

/** What is locked. A person is known by the hash that an erasure keeps, so that authors, too, are locked by it. */
type Locked =
  | { readonly kind: "brand"; readonly brandId: number }
  | { readonly kind: "person"; readonly brandId: number; readonly hash: string }
  | { readonly kind: "engagement"; readonly brandId: number; readonly id: string }

const restOf = (locked: Locked): string => {
  switch (locked.kind) {
    case "brand":
      return ""
    case "person":
      return locked.hash
    case "engagement":
      return locked.id
  }
}

const keyOf = (locked: Locked): bigint => {
  const rest = restOf(locked)
  return Buffer.from(hash("sha1", `${locked.kind} ${locked.brandId} ${rest}`, "hex"), "hex").readBigInt64BE(0)
}

/** What is locked until the transaction ends. */
export interface Lock {
  readonly locked: Locked
  /** Whether others may hold the same lock, shared as well. */
  readonly isShared: boolean
}

/** The server has room for some thousand locks of all its transactions. One that wants more takes its brands as a whole. */
const maxLocks = 600

/**
 * Keeps the encryption key that wraps new keys of persons and secrets as it is, until the end of the transaction. A process without a key is
 * refused, with `StoreUnavailable`, where the database is encrypted.
 */
export const holdEncryptionKey = async (db: Connection): Promise<void> => {
  if (db.keys === null) refuseClearText(db, (await readEncryption(db))?.key_id ?? null)
  else await holdEncryption(db)
}

/**
 * Waits for the locks, and sets the planner for the transaction. It must be the first statement that locks anything. A process without a key is
 * refused, with `StoreUnavailable`, where the database is encrypted.
 */
export const takeLocks = async (db: Connection, wanted: ReadonlyArray<Lock>): Promise<void> => {
  const isMany = wanted.length > maxLocks
  const shared = new Map<bigint, boolean>()
  for (const { isShared, locked } of wanted) {
    if (isMany && locked.kind !== "brand") continue
    const key = keyOf(locked)
    shared.set(key, isShared && !isMany && (shared.get(key) ?? true))
  }
  if (db.keys !== null) shared.set(encryptionLock, true)
  const keys = [...shared].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  const row = await db.get<{ readonly key_id: string | null }>(
    `SELECT ${plannerSettings}, (SELECT key_id FROM lead_signals.encryption) AS key_id, (SELECT count(CASE WHEN given.is_shared
         THEN pg_advisory_xact_lock_shared(given.key)::text ELSE pg_advisory_xact_lock(given.key)::text END)
       FROM unnest($1::bigint[], $2::boolean[]) AS given(key, is_shared))`,
    [
      binaryArray(
        "bigint",
        keys.map(([key]) => key)
      ),
      binaryArray(
        "boolean",
        keys.map(([, isShared]) => isShared)
      )
    ]
  )
  refuseClearText(db, row!.key_id)
}

/**
 * Waits until no transaction records observations or erases leads of the brand, and keeps others waiting until the end of this one: for
 * the beginning of the brand's deletion, after which no observation finds a signal.
 */
export const lockBrand = (db: Connection, brandId: number): Promise<void> =>
  takeLocks(db, [{ locked: { kind: "brand", brandId }, isShared: false }])

/** Locks those persons that no other transaction holds, itself or with the brand, and answers their hashes. It waits for nobody. */
export const tryLockPersons = async (
  db: Connection,
  brandId: number,
  hashes: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const each = [...new Set(hashes)]
  const rows = await db.all<{ readonly hash: string }>(
    `SELECT hash FROM unnest($1::bigint[], $2::text[]) AS given(key, hash)
     WHERE pg_try_advisory_xact_lock_shared($3) AND pg_try_advisory_xact_lock(key)`,
    [
      binaryArray(
        "bigint",
        each.map((hash) => keyOf({ kind: "person", brandId, hash }))
      ),
      each,
      String(keyOf({ kind: "brand", brandId }))
    ]
  )
  return rows.map(({ hash }) => hash)
}
