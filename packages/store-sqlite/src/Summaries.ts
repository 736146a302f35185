/** Makes everything that is kept beside the leads to count them anew from the leads: what triggers keep otherwise. */
import { rebuildStretches } from "./migrations/0003_positions.ts"

const daysOf = (field: "created" | "updated"): string =>
  `INSERT INTO lead_day_count
   SELECT brand_id, '${field}', ${field}_at / 86400000, flags, count(*) FROM lead GROUP BY brand_id, ${field}_at / 86400000, flags`

/** Statements for one transaction. */
export const rebuildSummaries: ReadonlyArray<string> = [
  "DELETE FROM lead_count",
  "INSERT INTO lead_count SELECT brand_id, 0, flags, count(*) FROM lead GROUP BY brand_id, flags",
  `INSERT INTO lead_count SELECT l.brand_id, s.signal_id, l.flags, count(*)
   FROM lead_signal s JOIN lead l ON l.id = s.lead_id GROUP BY l.brand_id, s.signal_id, l.flags`,
  "DELETE FROM lead_day_count",
  daysOf("created"),
  daysOf("updated"),
  ...rebuildStretches
]
