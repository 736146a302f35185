/** The ports of a brand and its things, but for leads and deliveries; and the health of the store. */
import {
  BrandStore,
  CampaignStore,
  KeyStore,
  SignalStore,
  StoreHealth,
  WebhookStore
} from "@lead-signals/domain"
import { Context, Effect } from "effect"
import { brandStore } from "./brands.ts"
import { campaignStore } from "./campaigns.ts"
import { keyStore } from "./keys.ts"
import { signalStore } from "./signals.ts"
import type { Tables } from "./Tables.ts"
import { webhookStore } from "./webhooks.ts"

export const directory = (tables: Tables) =>
  Context.make(BrandStore, brandStore(tables)).pipe(
    Context.add(KeyStore, keyStore(tables)),
    Context.add(SignalStore, signalStore(tables)),
    Context.add(CampaignStore, campaignStore(tables)),
    Context.add(WebhookStore, webhookStore(tables)),
    Context.add(StoreHealth, StoreHealth.of({ check: Effect.succeed({ writeProblem: null }) }))
  )
