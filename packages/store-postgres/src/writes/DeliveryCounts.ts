/** Counts deliveries by webhook and state. Each write changes them last, in one order, so that no two wait for each other. */
import type { DeliveryState } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"

/** A change of one counter. */
export interface DeliveryCountChange {
  readonly brandId: number
  readonly webhookId: number
  readonly state: DeliveryState
  readonly n: number
}

/** Adds the changes to the counters; several of one counter become one. */
export const countDeliveries = async (
  sql: Connection,
  changes: ReadonlyArray<DeliveryCountChange>
): Promise<void> => {
  const sums = new Map<string, DeliveryCountChange>()
  for (const change of changes) {
    const key = `${change.webhookId} ${change.state}`
    sums.set(key, { ...change, n: change.n + (sums.get(key)?.n ?? 0) })
  }
  const all = [...sums.values()].filter(({ n }) => n !== 0)
  if (all.length === 0) return
  await sql.run(
    `INSERT INTO lead_signals.delivery_count (brand_id, webhook_id, state, n)
       SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[]) AS given(brand_id, webhook_id, state, n)
       ORDER BY given.brand_id, given.webhook_id, given.state
       ON CONFLICT (brand_id, webhook_id, state) DO UPDATE SET n = delivery_count.n + excluded.n`,
    [
      all.map(({ brandId }) => brandId),
      all.map(({ webhookId }) => webhookId),
      all.map(({ state }) => state),
      all.map(({ n }) => n)
    ]
  )
}
