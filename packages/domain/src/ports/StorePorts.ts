/** Every port that a store implements, by name: for what wraps or hands on a whole store. */
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

/** The tag of each port, for code that wraps or provides all of them. */
export const storePorts = {
  /** Leads and their engagements. */
  leads: LeadStore,
  /** The brands, and how far the deletion of each is. */
  brands: BrandStore,
  /** API keys, by their hash. */
  keys: KeyStore,
  /** Tokens of operators, by their hash. */
  accessTokens: AccessTokenStore,
  /** Who did what. */
  auditLog: AuditLog,
  /** Idempotency-Keys and the answers that they had. */
  idempotency: IdempotencyRecords,
  /** The tracked entries of each brand. */
  signals: SignalStore,
  /** Campaigns and the readings of their posts. */
  campaigns: CampaignStore,
  /** Webhooks and their secrets. */
  webhooks: WebhookStore,
  /** Due deliveries, for the emitter. */
  outbox: Outbox,
  /** Deliveries and attempts, for the operator. */
  deliveries: Deliveries,
  /** Rate windows of API keys. */
  rateWindows: RateWindows,
  /** Readiness of the store. */
  health: StoreHealth,
  /** Removes what was kept long enough. */
  pruning: Pruning
} as const

/** The name of a port in `storePorts`. */
export type StorePortName = keyof typeof storePorts

/** The tags of all ports of a store, as a requirement. */
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
