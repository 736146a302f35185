/** What an operator sees of deliveries, and sends again. [DELIV-5, DELIV-8] */
import { Context, type Option } from "effect"
import type { BrandId } from "../model/Brand.ts"
import type { Attempt, Delivery, DeliveryId, DeliveryState } from "../model/Delivery.ts"
import type { Instant } from "../model/Instant.ts"
import type { LeadId } from "../model/Lead.ts"
import type { EventType } from "../model/LeadEvent.ts"
import type { WebhookId } from "../model/Webhook.ts"
import type { Page } from "../queries/Page.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

export interface DeliveryPage {
  readonly total: number
  readonly deliveries: ReadonlyArray<Delivery>
}

/** What a new delivery is of. */
export type QueueRequest =
  | { readonly what: "test" }
  /** The lead's newest event of the type. [EVT-9] */
  | { readonly what: "newest-event"; readonly leadId: LeadId; readonly event: EventType }
  /** What an earlier delivery of the webhook was of. */
  | { readonly what: "again"; readonly deliveryId: DeliveryId }

/** `ids` gives the ids of new deliveries, each call another. A new delivery is due at once. */
export class Deliveries extends Context.Tag("@lead-signals/domain/Deliveries")<
  Deliveries,
  {
    /** The webhook's deliveries, the newest first; of one state, or of all when it is null. */
    readonly list: (
      webhookId: WebhookId,
      query: { readonly state: DeliveryState | null; readonly page: Page }
    ) => StoreEffect<DeliveryPage>

    /** One with all its attempts, in order; none when the webhook has no such delivery. */
    readonly get: (
      webhookId: WebhookId,
      id: DeliveryId
    ) => StoreEffect<
      Option.Option<{ readonly delivery: Delivery; readonly attempts: ReadonlyArray<Attempt> }>
    >

    /**
     * Queues a delivery and answers its id; none when the webhook is gone, when the brand has no such lead or that lead no such
     * event, or when the webhook has no such delivery.
     */
    readonly queue: (
      webhook: { readonly id: WebhookId; readonly brandId: BrandId },
      request: QueueRequest,
      ids: () => DeliveryId
    ) => StoreEffect<Option.Option<DeliveryId>>

    /**
     * Queues what the dead letters were of that died at or after `since` and were not sent again yet, the oldest first,
     * at most `limit`; only tests and the given event types. Answers how many.
     */
    readonly recover: (
      webhookId: WebhookId,
      request: {
        readonly since: Instant
        readonly events: ReadonlyArray<EventType>
        readonly limit: number
      },
      ids: () => DeliveryId
    ) => StoreEffect<number>
  }
>() {
  static readonly operations: Operations<Deliveries["Type"]> = {
    list: "read",
    get: "read",
    queue: "write",
    recover: "write"
  }
}
