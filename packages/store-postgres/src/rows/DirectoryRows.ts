/** Rows of brands and of what an operator sets up for them, and their translation into domain values. */
import type {
  ApiKey,
  Brand,
  Campaign,
  Signal,
  Webhook,
  WebhookFormat,
  WebhookOrdering
} from "@lead-signals/domain"
import { secretContexts } from "@lead-signals/encryption"
import { type StoreKeys, unwrapSecret } from "../sealing/StoreKeys.ts"

export interface BrandRow {
  readonly id: number
  readonly name: string
  readonly suppression_secret: string
  readonly created_at: number
  readonly deletion_started_at: number | null
}

export const brandColumns = "id, name, suppression_secret, created_at, deletion_started_at"

/** Throws `StoreUnavailable` where the secret is wrapped under another key than the given ones. */
export const brandOf = (row: BrandRow, keys: StoreKeys | null): Brand => ({
  id: String(row.id),
  name: row.name,
  createdAt: row.created_at,
  suppressionSecret: unwrapSecret(keys, row.suppression_secret, secretContexts.suppression(row.id)),
  deletionStartedAt: row.deletion_started_at
})

export interface ApiKeyRow {
  readonly id: number
  readonly brand_id: number
  readonly label: string
  readonly start: string
  readonly requests_per_minute: number
  readonly created_at: number
  readonly last_used_at: number | null
  readonly revoked_at: number | null
  readonly expires_at: number | null
  readonly scopes: string
  readonly allowed_addresses: string | null
}

export const apiKeyColumns =
  "id, brand_id, label, start, requests_per_minute, created_at, last_used_at, revoked_at, expires_at, scopes, allowed_addresses"

export const apiKeyOf = (row: ApiKeyRow): ApiKey => ({
  id: String(row.id),
  brandId: String(row.brand_id),
  label: row.label,
  start: row.start,
  requestsPerMinute: row.requests_per_minute,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
  expiresAt: row.expires_at,
  scopes: JSON.parse(row.scopes),
  allowedAddresses: row.allowed_addresses === null ? null : JSON.parse(row.allowed_addresses)
})

export interface SignalRow {
  readonly id: number
  readonly brand_id: number
  readonly name: string
  readonly signal_type: string
  readonly source: string
  readonly created_at: number
}

export const signalColumns = "id, brand_id, name, signal_type, source, created_at"

export const signalOf = (row: SignalRow): Signal => ({
  id: String(row.id),
  brandId: String(row.brand_id),
  name: row.name,
  signalType: row.signal_type,
  source: JSON.parse(row.source),
  createdAt: row.created_at
})

export interface CampaignRow {
  readonly id: number
  readonly brand_id: number
  readonly name: string
  readonly created_at: number
}

export const campaignColumns = "id, brand_id, name, created_at"

export const campaignOf = (row: CampaignRow): Campaign => ({
  id: String(row.id),
  brandId: String(row.brand_id),
  name: row.name,
  createdAt: row.created_at
})

export interface WebhookRow {
  readonly id: number
  readonly brand_id: number
  readonly url: string
  readonly events: string
  readonly description: string | null
  readonly enabled: boolean
  readonly disabled_reason: string | null
  readonly failing_since: number | null
  readonly secrets: string
  readonly created_at: number
  readonly ordering: WebhookOrdering
  readonly max_delay: number | null
  readonly format: WebhookFormat
  readonly max_batch: number
  readonly max_wait: number
}

export const webhookColumns =
  "w.id, w.brand_id, w.url, w.events, w.description, w.enabled, w.disabled_reason, w.failing_since, w.secrets, w.created_at, w.ordering, w.max_delay, w.format, w.max_batch, w.max_wait"

/** Throws `StoreUnavailable` where the secrets are wrapped under another key than the given ones. */
export const webhookOf = (row: WebhookRow, keys: StoreKeys | null): Webhook => ({
  id: String(row.id),
  brandId: String(row.brand_id),
  url: row.url,
  events: JSON.parse(row.events),
  description: row.description,
  enabled: row.enabled,
  disabledReason: row.disabled_reason,
  failingSince: row.failing_since,
  ordering: row.ordering,
  maxDelay: row.max_delay,
  format: row.format,
  maxBatch: row.max_batch,
  maxWait: row.max_wait,
  secrets: JSON.parse(unwrapSecret(keys, row.secrets, secretContexts.webhook(row.brand_id, row.id))),
  createdAt: row.created_at
})
