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

/** The event that an operator's test sends. It has no lead, so no receiver takes it for an event of a lead. [DELIV-8] */
export const testEvent = "webhook.test"

/** The type of a delivered event: an event of a lead, or a test. */
export type DeliveredEvent = EventType | typeof testEvent

/**
 * The state of a delivery. `pending`: to be attempted, now or later. `delivered`: the receiver answered 2xx. `dead`: its
 * last scheduled attempt failed; it stays a dead letter until an operator sends it again.
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
  /** The engagement with which the event was committed; null on a test event. */
  readonly engagementId: string | null
  /** Whether it is still to be attempted, was delivered, or is a dead letter. */
  readonly state: DeliveryState
  /** Attempts that have been made, at least 0. */
  readonly attempts: number
  /** When the event or the test was queued for this webhook. */
  readonly createdAt: Instant
  /**
   * When the next attempt is due; during an attempt, the end of its lease, from which another process may take the
   * delivery. Null once it is delivered or dead, and while it waits for an earlier delivery of its lead. [ORD-2]
   */
  readonly dueAt: Instant | null
  /** When it was delivered or died; null while it is pending. */
  readonly finishedAt: Instant | null
  /** The delivery that this one sends again; null on a first one. */
  readonly resendOf: DeliveryId | null
  /** The delivery that sent this one again; null while none did. */
  readonly resentAs: DeliveryId | null
}

/** The reasons for which an attempt gets no answer. [DELIV-5] */
export const attemptErrors = [
  /** No answer within 15 s. */
  "timeout",
  /** The host name has no address. */
  "unresolvable",
  /** The target guard refused the address. */
  "target_refused",
  /** The connection was refused or broke. */
  "connection",
  /** The TLS handshake failed. */
  "tls",
  /** The answer was not HTTP. */
  "protocol",
  /** A defect of the sender. */
  "internal"
] as const
/** One of `attemptErrors`. */
export type AttemptError = (typeof attemptErrors)[number]

/** How an attempt ended. Exactly one of `status` and `error` is null. */
export interface AttemptResult {
  /** The HTTP status that the receiver answered; null when no answer came. */
  readonly status: number | null
  /** Why no answer came; null when one did. */
  readonly error: AttemptError | null
  /** The first 1 KiB of the answer's body as text, without personal data of the payload; null without a body. [DELIV-5] */
  readonly response: string | null
  /** Seconds that a 429 or 503 requested by Retry-After; null without one. [DELIV-3] */
  readonly retryAfterSeconds: number | null
}

/** The form of the post that carried an attempt. */
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

/** The data from which a delivery's body is made, as they are when the delivery is first leased. [EVT-5] */
export interface BodyMaterial {
  /** The id that the body carries as `id`. */
  readonly deliveryId: DeliveryId
  /** The webhook that the delivery goes to; the body of a test names it. */
  readonly webhookId: WebhookId
  /** The format that the webhook has when the body is made. [FMT-3] */
  readonly format: WebhookFormat
  /** The brand that the body carries as `brandId`. */
  readonly brandId: BrandId
  /** When the delivery was queued. The body of a test carries this time. */
  readonly createdAt: Instant
  /** The event; null for a test, whose `lead` is null and whose `engagements` are empty. */
  readonly subject: LeadEvent | null
  /** The lead that the event is about, as it is when the body is made; null for a test. */
  readonly lead: Lead | null
  /**
   * The engagements that the body shows: for lead2.created the newest, at most 20; for activity.detected the one that
   * fired it. [EVT-3, EVT-5]
   */
  readonly engagements: ReadonlyArray<EngagementRead>
}

const cloudEventPrefix = '{"specversion":'

/** The format of a body that the service made. A body keeps its first format when the webhook's changes. [FMT-3] */
export const formatOfBody = (body: string): WebhookFormat =>
  body.startsWith(cloudEventPrefix) ? "cloudevents" : "envelope"
