/** Fills the tables that the store derives from leads and deliveries, for a copy. */
import type { CopyRow, CopyTable } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"
import { orderings } from "../query/Ordering.ts"
import { leadOf, type LeadRow } from "../rows/LeadRows.ts"
import { CounterChanges } from "../writes/LeadCounters.ts"
import { writeLeads } from "../writes/LeadWrites.ts"
import { splitBucket } from "../writes/RankBuckets.ts"

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

/** The rows of `lead_count`: for each brand, and for each of its signals. */
export const leadCounts = `
  SELECT brand_id, 0::bigint AS signal_id, flags, count(*) AS n FROM lead_signals.lead GROUP BY brand_id, flags
  UNION ALL
  SELECT brand_id, signal_id, flags, count(*) FROM lead_signals.lead_signal GROUP BY brand_id, signal_id, flags`

/** The rows of `delivery_count`. */
export const deliveryCounts =
  "SELECT brand_id, webhook_id, state, count(*) AS n FROM lead_signals.delivery GROUP BY brand_id, webhook_id, state"

const allFlags = [0, 1, 2, 3, 4, 5, 6, 7]
const columns = allFlags.map((flags) => `n${flags}`).join(", ")
const counting = allFlags.map((flags) => `count(*) FILTER (WHERE flags = ${flags})`).join(", ")

/** Leads of a rank bucket at most, after a copy. */
const maxBucketLeads = 1536

/** Fills counters and rank buckets, which are empty. Leads of any number take one statement an order. */
export const deriveCounters = async (sql: Connection): Promise<void> => {
  await sql.run(`INSERT INTO lead_signals.lead_count (brand_id, signal_id, flags, n) ${leadCounts}`)
  await sql.run(`INSERT INTO lead_signals.delivery_count (brand_id, webhook_id, state, n) ${deliveryCounts}`)
  const counts = await sql.all<{ brand_id: number; n: number }>(
    "SELECT brand_id, count(*) AS n FROM lead_signals.lead GROUP BY brand_id"
  )
  for (const { name } of Object.values(orderings)) {
    await sql.run(
      `INSERT INTO lead_signals.lead_bucket (brand_id, ordering, key, id, ${columns})
       SELECT brand_id, $1, '', 0, ${counting} FROM lead_signals.lead GROUP BY brand_id`,
      [name]
    )
    for (const { brand_id, n } of counts) {
      if (n > maxBucketLeads) {
        await splitBucket(sql, { brand_id, ordering: name, key: "", id: 0, n }, maxBucketLeads)
      }
    }
  }
}
