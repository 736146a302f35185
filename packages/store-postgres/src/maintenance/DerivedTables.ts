/** Fills the tables that the store derives from leads and deliveries, for a copy. */
import type { CopyRow, CopyTable } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"
import { defaults } from "../query/RankIndex.ts"
import { leadOf, type LeadRow } from "../rows/LeadRows.ts"
import { rebuildDerivedTables } from "../writes/DerivedTables.ts"
import { CounterChanges } from "../writes/LeadCounters.ts"
import { writeLeads } from "../writes/LeadWrites.ts"

/** Inserts leads with their search texts and signals. Counters and rank buckets follow by `deriveCounters`. */
export const insertLeads = (
  sql: Connection,
  { columns }: CopyTable,
  rows: ReadonlyArray<CopyRow>
): Promise<void> => {
  const leads = rows.map((row) => {
    const values = Object.fromEntries(columns.map((column, i) => [column, row[i]]))
    return { before: null, after: leadOf(values as unknown as LeadRow) }
  })
  return writeLeads(sql, { leads, engagements: [], events: [] }, 0, new CounterChanges())
}

/** Fills counters and rank buckets, within a transaction. */
export const deriveCounters = async (sql: Connection): Promise<void> => {
  await rebuildDerivedTables(sql, defaults.maxBucketLeads)
  await sql.run(
    `INSERT INTO lead_signals.delivery_count (brand_id, webhook_id, state, n)
     SELECT brand_id, webhook_id, state, count(*) FROM lead_signals.delivery GROUP BY brand_id, webhook_id, state`
  )
}
