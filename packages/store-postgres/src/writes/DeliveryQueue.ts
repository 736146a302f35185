/** Queues deliveries, which are due at once. [DELIV-2] */
import type { DeliveryId } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"
import { countDeliveries } from "./DeliveryCounts.ts"

/** A delivery that is queued, due at once. */
export interface NewDelivery {
  readonly id: DeliveryId
  readonly brandId: number
  readonly webhookId: number
  /** The position of the event; null for a test delivery. */
  readonly position: number | null
  readonly resendOf: DeliveryId | null
}

/** Inserts the deliveries in their order, and counts them. The caller holds a lock on their webhooks that their deletion waits for. */
export const insertDeliveries = async (
  sql: Connection,
  deliveries: ReadonlyArray<NewDelivery>,
  now: number
): Promise<void> => {
  if (deliveries.length === 0) return
  await sql.run(
    `INSERT INTO lead_signals.delivery (brand_id, id, webhook_id, position, state, attempts, failures, due_at, created_at, resend_of)
       SELECT given.brand_id, given.id, given.webhook_id, given.position, 'pending', 0, 0, $1, $1, given.resend_of
       FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[]) WITH ORDINALITY
         AS given(brand_id, id, webhook_id, position, resend_of, place)
       ORDER BY given.place`,
    [
      now,
      deliveries.map(({ brandId }) => brandId),
      deliveries.map(({ id }) => id),
      deliveries.map(({ webhookId }) => webhookId),
      deliveries.map(({ position }) => position),
      deliveries.map(({ resendOf }) => resendOf)
    ]
  )
  await countDeliveries(
    sql,
    deliveries.map(({ brandId, webhookId }) => ({ brandId, webhookId, state: "pending", n: 1 }))
  )
}
