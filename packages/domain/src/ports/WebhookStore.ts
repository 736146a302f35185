/** The store of webhooks. `Outbox` and `Deliveries` are the ports of their deliveries. */
import { Context, type Option } from "effect"
import type { BrandId } from "../model/Brand.ts"
import type { Instant } from "../model/Instant.ts"
import type { Webhook, WebhookId } from "../model/Webhook.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

/**
 * The port of a store for webhooks. Each method is atomic, and fails with `StoreUnavailable` while the store can't
 * answer.
 */
export class WebhookStore extends Context.Tag("@lead-signals/domain/WebhookStore")<
  WebhookStore,
  {
    /**
     * Creates a webhook with a new id: decimal digits, never given twice. Fails with `StoreUnavailable` when the
     * brand is being deleted, too.
     */
    readonly create: (webhook: Omit<Webhook, "id">) => StoreEffect<Webhook>
    /** Answers the brand's webhooks in order of creation. Empty for an unknown brand. */
    readonly list: (brandId: BrandId) => StoreEffect<ReadonlyArray<Webhook>>
    /** Answers the webhook. None when it is unknown or another brand's. */
    readonly get: (brandId: BrandId, id: WebhookId) => StoreEffect<Option.Option<Webhook>>
    /**
     * Replaces the webhook by what `change` makes of it, in one transaction, and answers it. None when it is unknown
     * or another brand's. When this enables the webhook, its pending deliveries become due at once, with no failures
     * counted; a delivery with an attempt under way keeps its lease, marked by `AttemptTransitions.ofEarlierEnabling`.
     * `change` must be a plain function, because a transaction may be tried again. [DELIV-4]
     */
    readonly update: (
      brandId: BrandId,
      id: WebhookId,
      change: (webhook: Webhook, now: Instant) => Webhook
    ) => StoreEffect<Option.Option<Webhook>>
    /** Deletes the webhook with its deliveries and their log. Answers whether the brand had such a webhook. */
    readonly delete: (brandId: BrandId, id: WebhookId) => StoreEffect<boolean>
  }
>() {
  /** Whether each method reads or writes. */
  static readonly operations: Operations<WebhookStore["Type"]> = {
    create: "write",
    list: "read",
    get: "read",
    update: "write",
    delete: "write"
  }
}
