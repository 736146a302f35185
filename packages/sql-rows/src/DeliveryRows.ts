/** Rows of events, deliveries and attempts, and their translation into domain values. */
import type {
  Attempt,
  AttemptTransitions,
  Delivery,
  DeliveryState,
  EventType,
  LastAttempt,
  LeadEvent,
  Lease,
  Webhook
} from "@lead-signals/domain"
import { LeadOrder, testEvent } from "@lead-signals/domain/pure"
import { isTrue, type RowOf } from "./RowOf.ts"

/** A row of the table `event`. */
export type EventRow = RowOf<LeadEvent, "brandId"> & {
  /** The place of the event among those of its brand. */
  readonly position: number
}

/** The event of a row. */
export const eventOf = (row: EventRow): LeadEvent => ({
  event: row.event,
  brandId: String(row.brand_id),
  leadId: row.lead_id,
  engagementId: row.engagement_id,
  isFirstActivity: isTrue(row.is_first_activity),
  occurredAt: row.occurred_at
})

/** A row of the table `delivery`, joined with its event; the columns of the event are null for a test. */
export type DeliveryRow = RowOf<Omit<Delivery, "event">, "webhookId"> & {
  /** The type of the event; null for a test. */
  readonly event: EventType | null
}

/** The columns of a `DeliveryRow` in a query that joins `delivery d` with `event e`. */
export const deliveryColumns = `d.id, d.webhook_id, d.state, d.attempts, d.due_at, d.created_at, d.finished_at, d.resend_of, d.resent_as,
  e.event, e.lead_id, e.engagement_id`

/** The delivery of a row. */
export const deliveryOf = (row: DeliveryRow): Delivery => ({
  id: row.id,
  webhookId: String(row.webhook_id),
  event: row.event ?? testEvent,
  leadId: row.lead_id,
  engagementId: row.engagement_id,
  state: row.state,
  attempts: row.attempts,
  createdAt: row.created_at,
  dueAt: LeadOrder.dueAtOf(row.due_at),
  finishedAt: row.finished_at,
  resendOf: row.resend_of,
  resentAs: row.resent_as
})

/** A row of the table `attempt`. */
export type AttemptRow = RowOf<Attempt>

/** The attempt of a row. */
export const attemptOf = (row: AttemptRow): Attempt => ({
  number: row.number,
  at: row.at,
  durationMillis: row.duration_millis,
  batchId: row.batch_id,
  format: row.format,
  status: row.status,
  error: row.error,
  response: row.response
})

/** The columns of a delivery's latest attempt; null where there was none. */
export type LastAttemptRow = {
  readonly [Column in keyof RowOf<LastAttempt>]: RowOf<LastAttempt>[Column] | null
}

/** The latest attempt of a row; null where there was none. */
export const lastAttemptOf = ({ at, duration_millis, error, status }: LastAttemptRow): LastAttempt | null =>
  at === null || duration_millis === null ? null : { at, durationMillis: duration_millis, status, error }

/** The columns of the table `delivery` that recording an attempt reads and changes. */
export type CurrentDeliveryRow = RowOf<AttemptTransitions.CurrentDelivery, "webhookId">

/** The delivery of such a row, as `AttemptTransitions.settleAll` takes it. */
export const currentDeliveryOf = (row: CurrentDeliveryRow): AttemptTransitions.CurrentDelivery => ({
  id: row.id,
  webhookId: String(row.webhook_id),
  state: row.state,
  attempts: row.attempts,
  failures: row.failures,
  failingSince: row.failing_since,
  orderedLead: row.ordered_lead,
  lease: row.lease,
  dueAt: row.due_at,
  finishedAt: row.finished_at
})

/** The columns of the table `delivery` that a lease reads of a due one. */
export interface DueDeliveryRow extends Pick<
  RowOf<Delivery, "webhookId">,
  "id" | "webhook_id" | "created_at" | "resend_of"
> {
  /** The number of the row, in the order in which deliveries were queued. */
  readonly seq: number
  /** The place of its event among those of the brand; null for a test. */
  readonly position: number | null
  /** The lead among whose deliveries it keeps its place; null where it keeps none. [ORD-2] */
  readonly ordered_lead: number | null
  /** The state of the one before it of its webhook and ordered lead; null without one. [ORD-2] */
  readonly before: DeliveryState | null
}

/** A due delivery that is being leased, with the number of its batch in this lease; null where its webhook takes no batches. */
export type TakenDeliveryRow = DueDeliveryRow & Pick<Lease, "batch">

/**
 * The lease of a taken delivery. `skipped` answers the dead letters before it, and is called only where the webhook is ordered: SQLite reads
 * them then. [ORD-5]
 */
export const leaseOf = (
  row: TakenDeliveryRow & Pick<Lease, "body">,
  webhook: Webhook,
  { token, until }: Pick<Lease, "token" | "until">,
  skipped: () => NonNullable<Lease["place"]>["skipped"]
): Lease => ({
  deliveryId: row.id,
  token,
  batch: row.batch,
  until,
  body: row.body,
  resendOf: row.resend_of,
  place: webhook.ordering === "none" ? null : { isInOrder: row.ordered_lead !== null, skipped: skipped() },
  webhook
})
