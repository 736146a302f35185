/** Makes everything that is kept beside the leads to count them anew from the leads: what triggers keep otherwise. */
import { rebuildStretches } from "./migrations/0003_positions.ts"
import * as Positions from "./Positions.ts"

/** What `lead_count` holds, from the leads: of each brand, and of each of its signals. */
export const leadCounts = [
  "SELECT brand_id, 0, flags, count(*) FROM lead GROUP BY brand_id, flags",
  `SELECT l.brand_id, s.signal_id, l.flags, count(*)
   FROM lead_signal s JOIN lead l ON l.id = s.lead_id GROUP BY l.brand_id, s.signal_id, l.flags`
]

/** What `lead_day_count` holds, from the leads. */
export const dayCounts = ["created", "updated"].map(
  (field) =>
    `SELECT brand_id, '${field}', ${field}_at / 86400000, flags, count(*)
     FROM lead GROUP BY brand_id, ${field}_at / 86400000, flags`
)

/** Statements for one transaction. */
export const rebuildSummaries: ReadonlyArray<string> = [
  "DELETE FROM lead_count",
  ...leadCounts.map((counts) => `INSERT INTO lead_count ${counts}`),
  "DELETE FROM lead_day_count",
  ...dayCounts.map((counts) => `INSERT INTO lead_day_count ${counts}`),
  ...rebuildStretches(Positions.lengthWhenMade)
]
