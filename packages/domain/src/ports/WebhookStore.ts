/** Where a brand's webhooks are kept. Their deliveries are in `Outbox` and `Deliveries`. */
import { Context, type Option } from "effect"
import type { BrandId } from "../model/Brand.ts"
import type { Instant } from "../model/Instant.ts"
import type { Webhook, WebhookId } from "../model/Webhook.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

export class WebhookStore extends Context.Tag("@lead-signals/domain/WebhookStore")<
  WebhookStore,
  {
    /**
     * Gives the webhook a new id: decimal digits, never given twice. Fails with `StoreUnavailable` when the brand is being
     * deleted.
     */
    readonly create: (webhook: Omit<Webhook, "id">) => StoreEffect<Webhook>
    /** In order of creation. */
    readonly list: (brandId: BrandId) => StoreEffect<ReadonlyArray<Webhook>>
    /** None when it is unknown or another brand's. */
    readonly get: (brandId: BrandId, id: WebhookId) => StoreEffect<Option.Option<Webhook>>
    /**
     * Replaces the webhook by what `change`, a plain function, makes of it, in one transaction. One that is enabled by
     * this starts fresh: its pending deliveries are due at once, with no failures before them. Deliveries under way keep their
     * lease, marked by `AttemptTransitions.ofEarlierEnabling`. [DELIV-4]
     */
    readonly update: (
      brandId: BrandId,
      id: WebhookId,
      change: (webhook: Webhook, now: Instant) => Webhook
    ) => StoreEffect<Option.Option<Webhook>>
    /** Removes it with its deliveries and their log; answers whether there was such a webhook. */
    readonly delete: (brandId: BrandId, id: WebhookId) => StoreEffect<boolean>
  }
>() {
  static readonly operations: Operations<WebhookStore["Type"]> = {
    create: "write",
    list: "read",
    get: "read",
    update: "write",
    delete: "write"
  }
}
