/** All ports that a store implements, for code that wraps or provides a whole store. */
import { AccessTokenStore } from "./AccessTokenStore.ts"
import { AuditLog } from "./AuditLog.ts"
import { BrandStore } from "./BrandStore.ts"
import { CampaignStore } from "./CampaignStore.ts"
import { Deliveries } from "./Deliveries.ts"
import { IdempotencyRecords } from "./IdempotencyRecords.ts"
import { KeyStore } from "./KeyStore.ts"
import { LeadStore } from "./LeadStore.ts"
import { Outbox } from "./Outbox.ts"
import { Pruning } from "./Pruning.ts"
import { RateWindows } from "./RateWindows.ts"
import { SignalStore } from "./SignalStore.ts"
import { StoreHealth } from "./StoreHealth.ts"
import { WebhookStore } from "./WebhookStore.ts"

/** The tag of each port. */
export const storePorts = {
  /** Leads with their engagements, and their events and changes. */
  leads: LeadStore,
  /** Brands, and their deletion. */
  brands: BrandStore,
  /** API keys, by their hash. */
  keys: KeyStore,
  /** Tokens of operators, by their hash. */
  accessTokens: AccessTokenStore,
  /** Entries of the audit log. */
  auditLog: AuditLog,
  /** Records of Idempotency-Keys. */
  idempotency: IdempotencyRecords,
  /** The signals of each brand. */
  signals: SignalStore,
  /** Campaigns and the readings of their posts. */
  campaigns: CampaignStore,
  /** Webhooks and their secrets. */
  webhooks: WebhookStore,
  /** Deliveries for the emitter, which leases them and records attempts. */
  outbox: Outbox,
  /** Deliveries for operators, who list them and queue them again. */
  deliveries: Deliveries,
  /** Rate windows of API keys. */
  rateWindows: RateWindows,
  /** Readiness of the store. */
  health: StoreHealth,
  /** Removes what the store has kept long enough. */
  pruning: Pruning
} as const

/** The name of a port in `storePorts`. */
export type StorePortName = keyof typeof storePorts

/** All ports of a store, as the requirement of an Effect. */
export type StorePorts =
  | LeadStore
  | BrandStore
  | KeyStore
  | AccessTokenStore
  | AuditLog
  | IdempotencyRecords
  | SignalStore
  | CampaignStore
  | WebhookStore
  | Outbox
  | Deliveries
  | RateWindows
  | StoreHealth
  | Pruning

/** The implementation of each port. */
export type StoreServices = { readonly [Port in StorePortName]: (typeof storePorts)[Port]["Service"] }
