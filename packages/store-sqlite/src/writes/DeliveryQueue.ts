/** Queues deliveries, which are due at once. [DELIV-2] */
import { type DeliveryId, type LeadId, LeadOrder } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"
import { countDeliveries } from "./DeliveryCounts.ts"

/** A delivery that is queued, due at once. */
export interface NewDelivery {
  readonly id: DeliveryId
  readonly webhookId: number
  /** The position of the event; null for a test delivery. */
  readonly position: number | null
  readonly resendOf: DeliveryId | null
  /** The lead among whose deliveries it keeps its place; null where it keeps none. [ORD-2] */
  readonly orderedLead: LeadId | null
}

/** `LeadOrder.releasedDueAt` of a row; the parameter is now. [ORD-2] */
export const releasedDueAt = `iif(due_at = ${LeadOrder.waitingDueAt} OR (attempts = 0 AND lease IS NULL), min(created_at, ?), due_at)`

const insertStatement = `INSERT INTO delivery
    (id, webhook_id, position, state, attempts, failures, due_at, created_at, resend_of, ordered_lead)
  VALUES (?, ?, ?, 'pending', 0, 0, ?, ?, ?, ?)`

/**
 * Queues deliveries of events. Row by row: where one statement inserts several, SQLite keeps the pages that it changes aside, to take back
 * the rows before one that fails, and ids lie all over their index. That takes half as long again.
 */
export const insertDeliveries = (
  sql: Connection,
  deliveries: ReadonlyArray<NewDelivery>,
  now: number
): void => {
  sql.runPerRow(
    insertStatement,
    deliveries.map(({ id, orderedLead, position, resendOf, webhookId }) => [
      id,
      webhookId,
      position,
      now,
      now,
      resendOf,
      orderedLead
    ])
  )
  countDeliveries(
    sql,
    deliveries.map(({ webhookId }) => ({ webhookId, from: null, to: "pending", finishedAt: null }))
  )
}
