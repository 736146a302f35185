/** The operator's part of the store of deliveries: lists, details, and queueing again. [DELIV-5, DELIV-8] */
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

/** A delivery in a list. */
export interface ListedDelivery extends Delivery {
  /** Its latest attempt; null before the first one has ended. */
  readonly lastAttempt: LastAttempt | null
}

/** A delivery with everything that the store has of it. */
export interface FoundDelivery {
  /** The delivery itself. */
  readonly delivery: Delivery
  /** Its attempts, the first one first. */
  readonly attempts: ReadonlyArray<Attempt>
  /** The body that its attempts send; null before the first lease, and when the delivery is delivered or dead. */
  readonly body: string | null
}

/** One page of a webhook's deliveries. */
export interface DeliveryPage {
  /** The number of deliveries that match, on all pages. */
  readonly total: number
  /** The deliveries of the page, newest first. */
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
 * The port of a store for what operators do with deliveries. Each method is atomic, and fails with `StoreUnavailable`
 * while the store can't answer. Each call of `ids` gives the id of another new delivery. A new delivery is due at once.
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
     * Queues a delivery and answers its id. None when the webhook is gone, when the brand has no such lead or the lead
     * no such event, or when the webhook has no delivery `deliveryId`.
     */
    readonly queue: (
      webhook: { readonly id: WebhookId; readonly brandId: BrandId },
      request: QueueRequest,
      ids: () => DeliveryId
    ) => StoreEffect<Option.Option<DeliveryId>>

    /**
     * Queues dead letters again that died at or after `since` and were not queued again yet: tests, and events of the
     * given types, oldest first and at most `limit`. Answers how many it queued. [DELIV-8]
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
     * Counts, by interval and state, the deliveries to the brand's webhooks that were delivered or died in the interval; the counts have no
     * order. Deliveries of deleted webhooks and erased leads do not count. [SERIES-6]
     */
    readonly counts: (
      brandId: BrandId,
      intervals: CountedIntervals
    ) => StoreEffect<ReadonlyArray<IntervalCount<FinishedState>>>
  }
>() {
  /** Whether each method reads or writes. */
  static readonly operations: Operations<Deliveries["Type"]> = {
    list: "read",
    get: "read",
    queue: "write",
    recover: "write",
    counts: "read"
  }
}
