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
  })()
}
