/** Puts deliveries into the outbox. They are due at once. [DELIV-2] */
import type { DeliveryId } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"

export interface NewDelivery {
  readonly id: DeliveryId
  readonly webhookId: number
  /** Of the event; null on a test. */
  readonly position: number | null
  readonly resendOf: DeliveryId | null
}

/** So many in one statement: enough for its cost not to count, and no text of megabytes. */
const insertedAtOnce = 1000

export const insertDeliveries = (
  sql: Connection,
  deliveries: ReadonlyArray<NewDelivery>,
  now: number
): void => {
  for (let from = 0; from < deliveries.length; from += insertedAtOnce) {
    const rows = deliveries
      .slice(from, from + insertedAtOnce)
      .map(({ id, position, resendOf, webhookId }) => [id, webhookId, position, resendOf])
    sql.run(
      `INSERT INTO delivery (id, webhook_id, position, state, attempts, failures, due_at, created_at, resend_of)
         SELECT value ->> 0, value ->> 1, value ->> 2, 'pending', 0, 0, ?, ?, value ->> 3 FROM json_each(?) ORDER BY key`,
      [now, now, JSON.stringify(rows)]
    )
  }
}
