/**
 * What happened, as the outbox keeps it: references only and no personal data. The body of a webhook is made from it
 * when it is first sent. [EVT-5]
 */
import type { BrandId } from "./Brand.ts"
import type { Instant } from "./Instant.ts"
import type { LeadId } from "./Lead.ts"

export const eventTypes = ["lead2.created", "activity.detected"] as const
export type EventType = (typeof eventTypes)[number]

export interface LeadEvent {
  readonly event: EventType
  readonly brandId: BrandId
  readonly leadId: LeadId
  /** The engagement that fired it. */
  readonly engagementId: string
  /** True on the activity.detected of the person's first engagement, false on every other event. [EVT-3] */
  readonly isFirstActivity: boolean
  /** The time of the commit. */
  readonly occurredAt: Instant
}

/** The version of the webhook envelope. [VER-2] */
export const envelopeVersion = "1"
