/** Rows of brands and of what an operator sets up for them, and their translation into domain values. */
import type { ApiKey, Brand, Campaign, Signal, Webhook } from "@lead-signals/domain"
import { idOf } from "./Ids.ts"
import { isTrue, type RowOf } from "./RowOf.ts"

/** A row of the table `brand`. */
export type BrandRow = RowOf<Brand, "id">

/** The brand of a row whose secret is unwrapped. */
export const brandOf = (row: BrandRow): Brand => ({
  id: String(row.id),
  name: row.name,
  createdAt: row.created_at,
  suppressionSecret: row.suppression_secret,
  deletionStartedAt: row.deletion_started_at
})

/** A row of the table `api_key`, without the hash. */
export type ApiKeyRow = RowOf<ApiKey, "id" | "brandId", "scopes" | "allowedAddresses">

/** The columns of an `ApiKeyRow`. */
export const apiKeyColumns =
  "id, brand_id, label, start, requests_per_minute, created_at, last_used_at, revoked_at, expires_at, scopes, allowed_addresses"

/** The columns that a new key sets, in the order of `newApiKeyValues`. */
export const newApiKeyColumns =
  "brand_id, label, start, hash, requests_per_minute, created_at, expires_at, scopes, allowed_addresses"

/** A key as it is created, with the hash by which it is found. */
type NewApiKey = Omit<ApiKey, "id" | "lastUsedAt" | "revokedAt"> & { readonly hash: string }

/** The columns of a new key. */
export const newApiKeyValues = (key: NewApiKey): ReadonlyArray<string | number | null> => [
  idOf(key.brandId),
  key.label,
  key.start,
  key.hash,
  key.requestsPerMinute,
  key.createdAt,
  key.expiresAt,
  JSON.stringify(key.scopes),
  key.allowedAddresses === null ? null : JSON.stringify(key.allowedAddresses)
]

/** The key of a row. */
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

/** A row of the table `signal`. */
export type SignalRow = RowOf<Signal, "id" | "brandId", "source">

/** The signal of a row. */
export const signalOf = (row: SignalRow): Signal => ({
  id: String(row.id),
  brandId: String(row.brand_id),
  name: row.name,
  signalType: row.signal_type,
  source: JSON.parse(row.source),
  createdAt: row.created_at
})

/** A row of the table `campaign`. */
export type CampaignRow = RowOf<Campaign, "id" | "brandId">

/** The campaign of a row. */
export const campaignOf = (row: CampaignRow): Campaign => ({
  id: String(row.id),
  brandId: String(row.brand_id),
  name: row.name,
  createdAt: row.created_at
})

/** A row of the table `webhook`. */
export type WebhookRow = RowOf<Webhook, "id" | "brandId", "events" | "secrets">

/** The webhook of a row whose secrets are unwrapped. */
export const webhookOf = (row: WebhookRow): Webhook => ({
  id: String(row.id),
  brandId: String(row.brand_id),
  url: row.url,
  events: JSON.parse(row.events),
  description: row.description,
  enabled: isTrue(row.enabled),
  disabledReason: row.disabled_reason,
  failingSince: row.failing_since,
  ordering: row.ordering,
  maxDelay: row.max_delay,
  format: row.format,
  maxBatch: row.max_batch,
  maxWait: row.max_wait,
  secrets: JSON.parse(row.secrets),
  createdAt: row.created_at
})
