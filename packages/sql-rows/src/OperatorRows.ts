/** Rows of operators' tokens, of the audit log and of Idempotency-Keys, and their translation into domain values. */
import type { AccessToken, AuditActor, AuditEntry, IdempotencyRecord } from "@lead-signals/domain"
import { idOf } from "./Ids.ts"
import { type BooleanColumn, isTrue, type RowOf } from "./RowOf.ts"

/** A row of the table `access_token`, without the hash. */
export type AccessTokenRow = RowOf<AccessToken, "id", "scopes" | "brandIds">

/** The columns of an `AccessTokenRow`. */
export const accessTokenColumns =
  "id, name, start, scopes, brand_ids, created_at, expires_at, last_used_at, revoked_at"

/** The columns that a new token sets, in the order of `newAccessTokenValues`. */
export const newAccessTokenColumns = "name, start, hash, scopes, brand_ids, created_at, expires_at"

/** A token as it is created, with the hash by which it is found. */
type NewAccessToken = Omit<AccessToken, "id" | "lastUsedAt" | "revokedAt"> & { readonly hash: string }

/** The columns of a new token. */
export const newAccessTokenValues = (token: NewAccessToken): ReadonlyArray<string | number | null> => [
  token.name,
  token.start,
  token.hash,
  JSON.stringify(token.scopes),
  token.brandIds === null ? null : JSON.stringify(token.brandIds),
  token.createdAt,
  token.expiresAt
]

/** The token of a row. */
export const accessTokenOf = (row: AccessTokenRow): AccessToken => ({
  id: String(row.id),
  name: row.name,
  start: row.start,
  scopes: JSON.parse(row.scopes),
  brandIds: row.brand_ids === null ? null : JSON.parse(row.brand_ids),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at
})

/** A row of the table `audit_entry`. */
export type AuditRow = RowOf<Omit<AuditEntry, "actor">, "id" | "brandId"> & {
  /** The kind of the actor. */
  readonly actor_type: AuditActor["type"]
  /** The number of the actor's key or token; null where the actor has none. */
  readonly actor_id: number | null
}

/** The columns that a new entry sets, in the order of `newAuditValues`. */
export const newAuditColumns =
  "at, actor_type, actor_id, via_session, operation, brand_id, subject_id, status"

/** The columns of a new entry; `viaSession` is the column of its boolean. */
export const newAuditValues = <Via extends BooleanColumn>(
  entry: Omit<AuditEntry, "id">,
  viaSession: Via
): ReadonlyArray<string | number | null | Via> => [
  entry.at,
  entry.actor.type,
  entry.actor.id === null ? null : idOf(entry.actor.id),
  viaSession,
  entry.operation,
  entry.brandId === null ? null : idOf(entry.brandId),
  entry.subjectId,
  entry.status
]

/** The entry of a row. */
export const auditEntryOf = (row: AuditRow): AuditEntry => ({
  id: String(row.id),
  at: row.at,
  actor: { type: row.actor_type, id: row.actor_id === null ? null : String(row.actor_id) } as AuditActor,
  viaSession: isTrue(row.via_session),
  operation: row.operation,
  brandId: row.brand_id === null ? null : String(row.brand_id),
  subjectId: row.subject_id,
  status: row.status
})

/** A row of the table `idempotency_record`. */
export type IdempotencyRow = RowOf<IdempotencyRecord>

/** The record of a row. */
export const idempotencyRecordOf = ({
  created_at,
  lease_until,
  ...row
}: IdempotencyRow): IdempotencyRecord => ({
  ...row,
  createdAt: created_at,
  leaseUntil: lease_until
})
