/**
 * Events of leads, as the outbox keeps them. A delivery's body is made from the event, and from what its references name by
 * then, when the delivery is first leased. [EVT-5]
 */
import type { BrandId } from "./Brand.ts"
import type { Instant } from "./Instant.ts"
import type { LeadId } from "./Lead.ts"

/** The event types that a webhook can subscribe to, in the order in which a webhook lists them. [EVT-7] */
export const eventTypes = ["lead2.created", "activity.detected"] as const
/** One of `eventTypes`. */
export type EventType = (typeof eventTypes)[number]

/** An event in the outbox: references to its lead and engagement, without personal data. */
export interface LeadEvent {
  /** The type, as the envelope names it. [EVT-1] */
  readonly event: EventType
  /** The brand whose webhooks receive the event. */
  readonly brandId: BrandId
  /** The lead that it is about. */
  readonly leadId: LeadId
  /** The engagement that fired it. */
  readonly engagementId: string
  /** True on the activity.detected of the person's first engagement, false on every other event. [EVT-3] */
  readonly isFirstActivity: boolean
  /** The time of the commit. */
  readonly occurredAt: Instant
}

/** The `version` of the webhook envelope. [VER-2] */
export const envelopeVersion = "1"
