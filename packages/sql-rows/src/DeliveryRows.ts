/** Rows of events, deliveries and attempts, and their translation into domain values. */
import type { Attempt, Delivery, EventType, LastAttempt, LeadEvent } from "@lead-signals/domain"
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
