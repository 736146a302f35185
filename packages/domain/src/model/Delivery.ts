/**
 * A delivery: one event on its way to one webhook, with every attempt that was made. Its id is the envelope's and the
 * `webhook-id` that the receiver sees.
 */
import type { BrandId } from "./Brand.ts"
import type { Instant } from "./Instant.ts"
import type { EngagementRead, Lead, LeadId } from "./Lead.ts"
import type { EventType, LeadEvent } from "./LeadEvent.ts"
import type { WebhookId } from "./Webhook.ts"

/** `wh_` and 32 hex digits. [EVT-1] */
export type DeliveryId = string

/** What `POST …/test` sends: an event of no lead, so that no receiver takes it for one. */
export const testEvent = "webhook.test"

export type DeliveredEvent = EventType | typeof testEvent

/**
 * `pending`: to be attempted, now or later. `delivered`: a receiver answered 2xx. `dead`: its last attempt failed; it
 * stands in the dead letters until it is sent again.
 */
export type DeliveryState = "pending" | "delivered" | "dead"

export interface Delivery {
  readonly id: DeliveryId
  readonly webhookId: WebhookId
  readonly event: DeliveredEvent
  /** Null on a test event. */
  readonly leadId: LeadId | null
  readonly engagementId: string | null
  readonly state: DeliveryState
  /** How many attempts have been made. */
  readonly attempts: number
  readonly createdAt: Instant
  /** When it is due, while it is pending; while an attempt is under way, when another process may take over. */
  readonly dueAt: Instant | null
  /** When it was delivered or died. */
  readonly finishedAt: Instant | null
  /** The delivery that this one sends again, and the one that sent this one again. */
  readonly resendOf: DeliveryId | null
  readonly resentAs: DeliveryId | null
}

/** Why an attempt got no answer. */
export const attemptErrors = [
  "timeout",
  "unresolvable",
  "target_refused",
  "connection",
  "tls",
  "protocol",
  "internal"
] as const
export type AttemptError = (typeof attemptErrors)[number]

/** How an attempt ended. Exactly one of `status` and `error` is null. */
export interface AttemptResult {
  readonly status: number | null
  readonly error: AttemptError | null
  /** The first 1 KiB of the answer, as text, free of the payload's personal data. [DELIV-5] */
  readonly response: string | null
  /** What a 429 or 503 asked for, in seconds. [DELIV-3] */
  readonly retryAfterSeconds: number | null
}

/** One line of the log of attempts. */
export interface Attempt extends Pick<AttemptResult, "status" | "error" | "response"> {
  /** From 1. */
  readonly number: number
  readonly at: Instant
  readonly durationMillis: number
}

/** What the body of a delivery is made of, as it stands when it is first leased. [EVT-5] */
export interface BodyMaterial {
  readonly deliveryId: DeliveryId
  readonly webhookId: WebhookId
  readonly brandId: BrandId
  readonly createdAt: Instant
  /** Null on a test: then the lead is null and the engagements are empty. */
  readonly subject: LeadEvent | null
  readonly lead: Lead | null
  /** Of lead2.created the newest, up to a window; of activity.detected the one that fired it. [EVT-3, EVT-5] */
  readonly engagements: ReadonlyArray<EngagementRead>
}
