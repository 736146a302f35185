/** What an operator sees of deliveries, and sends again. [DELIV-5, DELIV-8] */
import { Context, type Option } from "effect"
import type { CountedIntervals, FinishedState, IntervalCount } from "../decisions/CountSeries.ts"
import type { BrandId } from "../model/Brand.ts"
import type { Attempt, Delivery, DeliveryId, DeliveryState } from "../model/Delivery.ts"
import type { Instant } from "../model/Instant.ts"
import type { LeadId } from "../model/Lead.ts"
import type { EventType } from "../model/LeadEvent.ts"
import type { WebhookId } from "../model/Webhook.ts"
import type { Page } from "../queries/Page.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

/** How the latest attempt of a delivery ended. */
export type LastAttempt = Pick<Attempt, "at" | "durationMillis" | "status" | "error">

/** A delivery as a list has it. */
export interface ListedDelivery extends Delivery {
  /** Null before its first attempt has ended. */
  readonly lastAttempt: LastAttempt | null
}

/** A delivery with everything that is kept of it. */
export interface FoundDelivery {
  /** What goes where, and how far it has come. */
  readonly delivery: Delivery
  /** Every attempt, in order. */
  readonly attempts: ReadonlyArray<Attempt>
  /** The body that its attempts send; null before the first lease, and when the delivery is delivered or dead. */
  readonly body: string | null
}

/** One page of a webhook's deliveries. */
export interface DeliveryPage {
  /** How many deliveries match, on all pages. */
  readonly total: number
  /** Those on the page, newest first. */
  readonly deliveries: ReadonlyArray<ListedDelivery>
}

/** The content of a new delivery. */
export type QueueRequest =
  /** A test event. [DELIV-8] */
  | { readonly what: "test" }
  /** The lead's newest event of the type. [EVT-9] */
  | { readonly what: "newest-event"; readonly leadId: LeadId; readonly event: EventType }
  /** The event or test of an earlier delivery of the webhook. [DELIV-8] */
  | { readonly what: "again"; readonly deliveryId: DeliveryId }

/**
 * The port of a store for what the operator does with deliveries. Each method is atomic, and fails with
 * `StoreUnavailable` while the store can't answer. `ids` gives the ids of new deliveries, each call another. A new
 * delivery is due at once.
 */
export class Deliveries extends Context.Tag("@lead-signals/domain/Deliveries")<
  Deliveries,
  {
    /**
     * Answers a page of the webhook's deliveries, newest first: of one state, or of all when `state` is null. An
     * unknown webhook has none.
     */
    readonly list: (
      webhookId: WebhookId,
      query: { readonly state: DeliveryState | null; readonly page: Page }
    ) => StoreEffect<DeliveryPage>

    /** Answers one delivery with its attempts and its body. None when the webhook has no such delivery. */
    readonly get: (webhookId: WebhookId, id: DeliveryId) => StoreEffect<Option.Option<FoundDelivery>>

    /**
     * Queues a delivery and answers its id. None when the webhook is gone, when the brand has no such lead or that lead
     * no such event, or when the webhook has no such delivery.
     */
    readonly queue: (
      webhook: { readonly id: WebhookId; readonly brandId: BrandId },
      request: QueueRequest,
      ids: () => DeliveryId
    ) => StoreEffect<Option.Option<DeliveryId>>

    /**
     * Queues again what died at or after `since` and was not sent again yet, oldest first, at most `limit`
     * deliveries: tests, and events of the given types. Answers how many. [DELIV-8]
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

    /**
     * Counts in each interval the deliveries to the brand's webhooks that were delivered or died in it, in no order. Those of deleted
     * webhooks and erased leads do not count. [SERIES-6]
     */
    readonly counts: (
      brandId: BrandId,
      intervals: CountedIntervals
    ) => StoreEffect<ReadonlyArray<IntervalCount<FinishedState>>>
  }
>() {
  /** Which methods write the store; a wrapper of the port derives its list from here. */
  static readonly operations: Operations<Deliveries["Type"]> = {
    list: "read",
    get: "read",
    queue: "write",
    recover: "write",
    counts: "read"
  }
}
