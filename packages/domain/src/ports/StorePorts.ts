/** Every port that a store implements, by name: for what wraps or hands on a whole store. */
import { BrandStore } from "./BrandStore.ts"
import { CampaignStore } from "./CampaignStore.ts"
import { Deliveries } from "./Deliveries.ts"
import { KeyStore } from "./KeyStore.ts"
import { LeadStore } from "./LeadStore.ts"
import { Outbox } from "./Outbox.ts"
import { RateWindows } from "./RateWindows.ts"
import { SignalStore } from "./SignalStore.ts"
import { StoreHealth } from "./StoreHealth.ts"
import { WebhookStore } from "./WebhookStore.ts"

export const storePorts = {
  leads: LeadStore,
  brands: BrandStore,
  keys: KeyStore,
  signals: SignalStore,
  campaigns: CampaignStore,
  webhooks: WebhookStore,
  outbox: Outbox,
  deliveries: Deliveries,
  rateWindows: RateWindows,
  health: StoreHealth
} as const

export type StorePortName = keyof typeof storePorts

/** The tags of all ports of a store, as a requirement. */
export type StorePorts =
  | LeadStore
  | BrandStore
  | KeyStore
  | SignalStore
  | CampaignStore
  | WebhookStore
  | Outbox
  | Deliveries
  | RateWindows
  | StoreHealth

/** The implementation of each port. */
export type StoreServices = { readonly [Port in StorePortName]: (typeof storePorts)[Port]["Service"] }
