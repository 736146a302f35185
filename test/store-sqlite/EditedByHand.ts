/** Changes of leads by statements that are not the store's, with what the store would have written beside them. */
import { rebuildDerivedTables } from "@lead-signals/store-sqlite/internal"
import type Database from "better-sqlite3"

/** The rank buckets of many leads take seconds: they can stay as they are for a caller that takes its change back. */
export const editLead = (
  db: Database.Database,
  id: number,
  set: string,
  { withBuckets }: { readonly withBuckets: boolean }
): void => {
  const rebuilt = rebuildDerivedTables.filter((text) => withBuckets || !text.includes("lead_stretch"))
  db.transaction(() => {
    db.exec(`UPDATE lead SET ${set} WHERE id = ${id}`)
    db.exec(`UPDATE lead_signal SET (flags, created_at) = (SELECT flags, created_at FROM lead WHERE id = ${id})
      WHERE lead_id = ${id}`)
    for (const text of rebuilt) db.exec(text)
    db.exec("UPDATE lead_change SET n = n + 1")
    // At the end of the feed of changes, whose positions are those of events.
    db.exec(`INSERT INTO sqlite_sequence (name, seq)
      SELECT 'event', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'event')`)
    db.exec("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'event'")
    db.exec(`INSERT OR REPLACE INTO changed_lead (lead_id, brand_id, position)
      SELECT id, brand_id, (SELECT seq FROM sqlite_sequence WHERE name = 'event') FROM lead WHERE id = ${id}`)
  })()
}
