/** Rows of operators' tokens, of the audit log and of Idempotency-Keys, and their translation into domain values. */
import type { AccessToken, AuditActor, AuditEntry, IdempotencyRecord } from "@lead-signals/domain"

export interface AccessTokenRow {
  readonly id: number
  readonly name: string
  readonly start: string
  readonly scopes: string
  readonly brand_ids: string | null
  readonly created_at: number
  readonly expires_at: number | null
  readonly last_used_at: number | null
  readonly revoked_at: number | null
}

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

export interface AuditRow {
  readonly id: number
  readonly at: number
  readonly actor_type: AuditActor["type"]
  readonly actor_id: number | null
  readonly via_session: boolean
  readonly operation: string
  readonly brand_id: number | null
  readonly subject_id: string | null
  readonly status: number | null
}

export const auditEntryOf = (row: AuditRow): AuditEntry => ({
  id: String(row.id),
  at: row.at,
  actor: { type: row.actor_type, id: row.actor_id === null ? null : String(row.actor_id) } as AuditActor,
  viaSession: row.via_session,
  operation: row.operation,
  brandId: row.brand_id === null ? null : String(row.brand_id),
  subjectId: row.subject_id,
  status: row.status
})

export interface IdempotencyRow {
  readonly id: string
  readonly actor: string
  readonly fingerprint: string
  readonly holder: string
  readonly state: IdempotencyRecord["state"]
  readonly created_at: number
  readonly lease_until: number
  readonly answer: string | null
}

export const idempotencyRecordOf = ({
  created_at,
  lease_until,
  ...row
}: IdempotencyRow): IdempotencyRecord => ({
  ...row,
  createdAt: created_at,
  leaseUntil: lease_until
})
