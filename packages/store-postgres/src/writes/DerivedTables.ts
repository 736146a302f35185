/** Makes the tables that are derived from the leads anew: counters and rank buckets. */
import type { Connection } from "../connection/Connection.ts"
import { orderings } from "../query/Ordering.ts"
import { insertPieces, type Piece, pieceOf, piecesSql } from "./RankBuckets.ts"

const countsSql = `INSERT INTO lead_signals.lead_count (brand_id, signal_id, flags, n)
  SELECT brand_id, 0, flags, count(*) FROM lead_signals.lead GROUP BY brand_id, flags
  UNION ALL SELECT brand_id, signal_id, flags, count(*) FROM lead_signals.lead_signal GROUP BY brand_id, signal_id, flags`

/** Counts anew within a transaction, while no other writes leads. */
export const rebuildDerivedTables = async (db: Connection, maxBucketLeads: number): Promise<void> => {
  await db.run("DELETE FROM lead_signals.lead_count")
  await db.run(countsSql)
  await db.run("DELETE FROM lead_signals.lead_bucket")
  const brands = await db.all<{ id: number }>("SELECT DISTINCT brand_id AS id FROM lead_signals.lead_count")
  for (const { id } of brands) {
    for (const ordering of Object.values(orderings)) {
      const all = { key: ordering.keyOf(""), id: 0, n: Number.MAX_SAFE_INTEGER }
      const pieces = await db.all<Piece>(piecesSql(ordering.column), [
        id,
        all.key,
        all.id,
        all.n,
        pieceOf(maxBucketLeads)
      ])
      await insertPieces(db, id, ordering, pieces, true)
    }
  }
}
