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

/** Deliveries per statement: enough to make its cost small, without a parameter of megabytes. */
const maxPerStatement = 1000

/** SQLite begins to read a JSON array in the time in which it inserts some rows. */
const fewRows = 3

const columns =
  "id, webhook_id, position, state, attempts, failures, due_at, created_at, resend_of, ordered_lead"

/** Queues deliveries of events. */
export const insertDeliveries = (
  sql: Connection,
  deliveries: ReadonlyArray<NewDelivery>,
  now: number
): void => {
  for (let from = 0; from < deliveries.length; from += maxPerStatement) {
    const part = deliveries.slice(from, from + maxPerStatement)
    if (part.length <= fewRows) {
      sql.runPerRow(
        `INSERT INTO delivery (${columns}) VALUES (?, ?, ?, 'pending', 0, 0, ?, ?, ?, ?)`,
        part.map(({ id, orderedLead, position, resendOf, webhookId }) => [
          id,
          webhookId,
          position,
          now,
          now,
          resendOf,
          orderedLead
        ])
      )
      continue
    }
    const rows = part.map(({ id, orderedLead, position, resendOf, webhookId }) => [
      id,
      webhookId,
      position,
      resendOf,
      orderedLead
    ])
    sql.run(
      `INSERT INTO delivery (${columns})
         SELECT value ->> 0, value ->> 1, value ->> 2, 'pending', 0, 0, ?, ?, value ->> 3, value ->> 4 FROM json_each(?) ORDER BY key`,
      [now, now, JSON.stringify(rows)]
    )
  }
  countDeliveries(
    sql,
    deliveries.map(({ webhookId }) => ({ webhookId, from: null, to: "pending", finishedAt: null }))
  )
}
