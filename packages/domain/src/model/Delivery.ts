/**
 * A delivery: one event on its way to one webhook, with every attempt that was made. Its id is the envelope's and the
 * `webhook-id` that the receiver sees.
 */
import type { BrandId } from "./Brand.ts"
import type { Instant } from "./Instant.ts"
import type { EngagementRead, Lead, LeadId } from "./Lead.ts"
import type { EventType, LeadEvent } from "./LeadEvent.ts"
import type { WebhookFormat, WebhookId } from "./Webhook.ts"

/** The id of a delivery and of its envelope: `wh_` and 32 hex digits. [EVT-1] */
export type DeliveryId = string

/** The event that an operator's test sends. It is about no lead, so no receiver takes it for one. [DELIV-8] */
export const testEvent = "webhook.test"

/** The type of a delivered event: an event of a lead, or a test. */
export type DeliveredEvent = EventType | typeof testEvent

/**
 * `pending`: to be attempted, now or later. `delivered`: a receiver answered 2xx. `dead`: its last attempt failed; it
 * stands in the dead letters until it is sent again.
 */
export type DeliveryState = "pending" | "delivered" | "dead"

/** One event on its way to one webhook, as the store keeps it. */
export interface Delivery {
  /** The id that the receiver sees in the envelope and in the header `webhook-id`. */
  readonly id: DeliveryId
  /** The webhook that the delivery goes to. */
  readonly webhookId: WebhookId
  /** The type of the event, as the envelope names it. */
  readonly event: DeliveredEvent
  /** The lead that the event is about; null on a test event. */
  readonly leadId: LeadId | null
  /** The engagement that fired the event; null on a test event. */
  readonly engagementId: string | null
  /** Whether the delivery is still to be attempted, and how it ended if not. */
  readonly state: DeliveryState
  /** Attempts that have been made, at least 0. */
  readonly attempts: number
  /** When the event or the test was queued for this webhook. */
  readonly createdAt: Instant
  /**
   * When the next attempt is due, or, during an attempt, when another process may take over; null once the delivery
   * is delivered or dead, and while it waits for an earlier one of its lead. [ORD-2]
   */
  readonly dueAt: Instant | null
  /** When it was delivered or died; null while it is pending. */
  readonly finishedAt: Instant | null
  /** The delivery that this one sends again; null on a first one. */
  readonly resendOf: DeliveryId | null
  /** The delivery that sent this one again; null while none did. */
  readonly resentAs: DeliveryId | null
}

/**
 * The classes of attempts that got no answer: no answer in 15 s, a name without addresses, an address that the guard
 * refused, a broken connection, a failure of TLS, an answer that is no HTTP, and a defect of the sender. [DELIV-5]
 */
export const attemptErrors = [
  "timeout",
  "unresolvable",
  "target_refused",
  "connection",
  "tls",
  "protocol",
  "internal"
] as const
/** The class of a failed attempt that got no answer: one of `attemptErrors`. */
export type AttemptError = (typeof attemptErrors)[number]

/** How an attempt ended. Exactly one of `status` and `error` is null. */
export interface AttemptResult {
  /** The HTTP status that the receiver answered; null when no answer came. */
  readonly status: number | null
  /** Why no answer came; null when one did. */
  readonly error: AttemptError | null
  /** The first 1 KiB of the answer, as text, free of the payload's personal data. [DELIV-5] */
  readonly response: string | null
  /** Seconds that a 429 or 503 requested by Retry-After; null without one. [DELIV-3] */
  readonly retryAfterSeconds: number | null
}

/** How the post of an attempt was made. */
export interface PostedAs {
  /** The id of the batch that the delivery went in, `wb_` and 32 hex digits; null when it went alone. [BATCH-5] */
  readonly batchId: string | null
  /** The format of the body. [FMT-3] */
  readonly format: WebhookFormat
}

/** One line of the log of attempts. */
export interface Attempt extends Pick<AttemptResult, "status" | "error" | "response">, PostedAs {
  /** Counts the attempts of a delivery from 1. */
  readonly number: number
  /** When the attempt began. */
  readonly at: Instant
  /** How long the attempt took until its end, in milliseconds, at least 0. */
  readonly durationMillis: number
}

/** The material of a body, as it stands when the delivery is first leased. [EVT-5] */
export interface BodyMaterial {
  /** The id that the body carries as `id`. */
  readonly deliveryId: DeliveryId
  /** The webhook that the delivery goes to; the body of a test names it. */
  readonly webhookId: WebhookId
  /** The webhook's format when the body is made. [FMT-3] */
  readonly format: WebhookFormat
  /** The brand that the body carries as `brandId`. */
  readonly brandId: BrandId
  /** When the delivery was queued. The body of a test carries this time. */
  readonly createdAt: Instant
  /** The event; null on a test, where the lead is null, too, and the engagements are empty. */
  readonly subject: LeadEvent | null
  /** The lead that the event is about, as it is when the body is made. */
  readonly lead: Lead | null
  /**
   * The engagements that the body shows: of lead2.created the newest, at most 20, of activity.detected the one that
   * fired it. [EVT-3, EVT-5]
   */
  readonly engagements: ReadonlyArray<EngagementRead>
}

const cloudEventBegin = '{"specversion":'

/** The format of a body that the service made: it keeps that in which it was first made. [FMT-3] */
export const formatOfBody = (body: string): WebhookFormat =>
  body.startsWith(cloudEventBegin) ? "cloudevents" : "envelope"
