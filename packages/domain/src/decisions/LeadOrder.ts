/**
 * The order of a lead's events at an ordered webhook. A delivery that keeps its lead's order names the lead as `orderedLead`. The deliveries of
 * one webhook and one `orderedLead` form a queue: first those that ended, then the one that may be leased, then those that wait for it. [ORD-2]
 */
import type { DeliveryId } from "../model/Delivery.ts"
import type { Instant } from "../model/Instant.ts"
import type { LeadId } from "../model/Lead.ts"
import type { Webhook } from "../model/Webhook.ts"

/** The `dueAt` of a stored delivery that waits for an earlier one: the last instant of a `Date`, so that no query for due deliveries finds it. */
export const waitingDueAt: Instant = 8_640_000_000_000_000

/** How many ids of skipped dead letters a post names at most; it names the newest. [ORD-5] */
export const maxSkippedIds = 50

/** The `dueAt` that operators see of a stored one; null while the delivery waits, and after it has ended. */
export const dueAtOf = (stored: Instant | null): Instant | null => (stored === waitingDueAt ? null : stored)

/**
 * When a pending delivery becomes due after the delivery before it has ended, or its webhook is no longer ordered. One that waited is due as of
 * its `createdAt`, but at `now` at the latest, because a clock may have been set back. One that was attempted keeps its `dueAt`. [ORD-2]
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

/** The `orderedLead` of a new delivery of an event of the lead: the lead, or null where the webhook is not ordered. [ORD-1] */
export const orderedLead = ({ ordering }: Pick<Webhook, "ordering">, leadId: LeadId): LeadId | null =>
  ordering === "lead" ? leadId : null

/** What a post of an ordered webhook says about its delivery's position in the lead's order. [ORD-5] */
export interface DeliveryPlace {
  /** Whether the delivery keeps its lead's order; false for a test and for a delivery that is sent again. */
  readonly isInOrder: boolean
  /** The lead's dead letters since its last delivered event, oldest first, at most `maxSkippedIds`. */
  readonly skipped: ReadonlyArray<DeliveryId>
}

/**
 * The instant at which a failing delivery stops holding its lead's later events back: `maxDelay` seconds after its first failed attempt, or after
 * `now` where none has failed. Null where the webhook has no `maxDelay`, or the delivery keeps no order. [ORD-4]
 */
export const deadlineOf = (
  { maxDelay, ordering }: Pick<Webhook, "maxDelay" | "ordering">,
  delivery: { readonly orderedLead: LeadId | null; readonly failingSince: Instant | null },
  now: Instant
): Instant | null =>
  ordering === "lead" && maxDelay !== null && delivery.orderedLead !== null
    ? (delivery.failingSince ?? now) + maxDelay * 1000
    : null
