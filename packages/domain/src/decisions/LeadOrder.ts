/**
 * The order of a lead's events at an ordered webhook. A delivery that keeps its place names its lead, `orderedLead`. Of those of one webhook
 * and lead the ones that ended come first, then the one that may be leased, then the ones that wait for it. [ORD-2]
 */
import type { DeliveryId } from "../model/Delivery.ts"
import type { Instant } from "../model/Instant.ts"
import type { LeadId } from "../model/Lead.ts"
import type { Webhook } from "../model/Webhook.ts"

/** A waiting delivery is stored as due at the last instant there is, so that nothing that looks for what is due meets it. */
export const waitingDueAt: Instant = 8_640_000_000_000_000

/** The most ids that a post names as skipped: the newest. [ORD-5] */
export const maxSkippedIds = 50

/** When a stored delivery is due; null while it waits, as when it has ended. */
export const dueAtOf = (stored: Instant | null): Instant | null => (stored === waitingDueAt ? null : stored)

/**
 * When a pending delivery is due once it waits no longer, because the one before it has ended or its webhook is ordered no more: as of when
 * it was queued, but not later than now, also where a clock was set back meanwhile. One that was attempted keeps its time. [ORD-2]
 */
export const releasedDueAt = (
  {
    attempts,
    createdAt,
    dueAt,
    lease
  }: {
    readonly attempts: number
    readonly createdAt: Instant
    readonly dueAt: Instant
    readonly lease: string | null
  },
  now: Instant
): Instant =>
  dueAt === waitingDueAt || (attempts === 0 && lease === null) ? Math.min(createdAt, now) : dueAt

/** The lead among whose deliveries a new event of it keeps its place; null where the webhook is not ordered. [ORD-1] */
export const orderedLead = ({ ordering }: Pick<Webhook, "ordering">, leadId: LeadId): LeadId | null =>
  ordering === "lead" ? leadId : null

/** What an ordered webhook's post says of its place. [ORD-5] */
export interface DeliveryPlace {
  /** Whether it keeps its place among its lead's; false for a test and for what is sent again. */
  readonly isInOrder: boolean
  /** The lead's dead letters since the last delivered, oldest first, at most `maxSkippedIds`. */
  readonly skipped: ReadonlyArray<DeliveryId>
}

/**
 * The instant after which a failing delivery holds its lead back no longer, null without one. `failingSince` is when its first attempt
 * failed, null before that. [ORD-4]
 */
export const deadlineOf = (
  { maxDelay, ordering }: Pick<Webhook, "maxDelay" | "ordering">,
  delivery: { readonly orderedLead: LeadId | null; readonly failingSince: Instant | null },
  now: Instant
): Instant | null =>
  ordering === "lead" && maxDelay !== null && delivery.orderedLead !== null
    ? (delivery.failingSince ?? now) + maxDelay * 1000
    : null
