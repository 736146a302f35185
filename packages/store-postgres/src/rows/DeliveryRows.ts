/** Rows of events, deliveries and attempts, and their translation into domain values. */
import type {
  Attempt,
  AttemptError,
  Delivery,
  DeliveryState,
  EventType,
  LastAttempt,
  LeadEvent,
  WebhookFormat
} from "@lead-signals/domain"
import { LeadOrder, testEvent } from "@lead-signals/domain/pure"
import type { SealedColumn } from "./SealedRows.ts"

export interface EventRow {
  readonly brand_id: number
  readonly position: number
  readonly event: EventType
  readonly lead_id: number
  readonly engagement_id: string
  readonly is_first_activity: boolean
  readonly occurred_at: number
}

export const eventOf = (row: EventRow): LeadEvent => ({
  event: row.event,
  brandId: String(row.brand_id),
  leadId: row.lead_id,
  engagementId: row.engagement_id,
  isFirstActivity: row.is_first_activity,
  occurredAt: row.occurred_at
})

/** A delivery's row, joined with its event. */
export interface DeliveryRow {
  readonly id: string
  readonly webhook_id: number
  readonly state: DeliveryState
  readonly attempts: number
  readonly due_at: number | null
  readonly created_at: number
  readonly finished_at: number | null
  readonly resend_of: string | null
  readonly resent_as: string | null
  readonly event: EventType | null
  readonly lead_id: number | null
  readonly engagement_id: string | null
}

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

export interface AttemptRow {
  readonly number: number
  readonly at: number
  readonly duration_millis: number
  readonly status: number | null
  readonly error: AttemptError | null
  readonly response: string | null
  readonly batch_id: string | null
  readonly format: WebhookFormat
  readonly sealed: SealedColumn
}

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

/** The columns of a latest attempt; null where there was none. */
export interface LastAttemptRow {
  readonly at: number | null
  readonly duration_millis: number | null
  readonly status: number | null
  readonly error: AttemptError | null
}

export const lastAttemptOf = ({ at, duration_millis, error, status }: LastAttemptRow): LastAttempt | null =>
  at === null || duration_millis === null ? null : { at, durationMillis: duration_millis, status, error }
