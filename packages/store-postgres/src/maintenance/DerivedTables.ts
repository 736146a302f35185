/** Fills the tables that the store derives from leads and deliveries, for a copy. */
import type { CopyRow, CopyTable } from "@lead-signals/domain"
import { idOf, leadOf } from "@lead-signals/sql-rows"
import type { Connection } from "../connection/Connection.ts"
import { defaults } from "../query/RankIndex.ts"
import { type LeadRow } from "../rows/LeadRows.ts"
import { rebuildDerivedTables } from "../writes/DerivedTables.ts"
import { CounterChanges } from "../writes/LeadCounters.ts"
import { writeLeads } from "../writes/LeadWrites.ts"
import { personKeysOf, type PersonOf } from "../writes/PersonKeys.ts"
import type { PersonHashes } from "./SealedTables.ts"

/** Inserts leads with their search texts and signals. Counters and rank buckets follow by `deriveCounters`. */
export const insertLeads = async (
  sql: Connection,
  { columns }: CopyTable,
  rows: ReadonlyArray<CopyRow>,
  hashes: PersonHashes
): Promise<void> => {
  const read = rows.map((row) =>
    leadOf(Object.fromEntries(columns.map((column, i) => [column, row[i]])) as unknown as LeadRow)
  )
  const persons: Array<PersonOf> = []
  if (sql.keys !== null) {
    for (const { brandId, extId } of read) {
      const brand = idOf(brandId)
      persons.push({ brandId: brand, hash: (await hashes.of(sql, brand))(extId) })
    }
  }
  const keys = await personKeysOf(sql, persons)
  const leads = read.map((after, i) => ({ before: null, after, person: keys?.of(persons[i]!) ?? null }))
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
