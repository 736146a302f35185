/**
 * What the feed of changes tells beside events. A lead without any event, of a file from before there were webhooks, gets a position before
 * all events; every other lead has one by its newest event, so a file with many leads takes a lookup of each. [CHG-1]
 */
export const changedLeads: ReadonlyArray<string> = [
  `CREATE TABLE changed_lead (
     lead_id INTEGER PRIMARY KEY, brand_id INTEGER NOT NULL, position INTEGER NOT NULL, removed_at INTEGER) STRICT`,
  `INSERT INTO changed_lead (lead_id, brand_id, position)
   SELECT l.id, l.brand_id, l.id - 1 - (SELECT max(id) FROM lead) FROM lead l
   WHERE NOT EXISTS (SELECT 1 FROM event e WHERE e.lead_id = l.id)`,
  "CREATE INDEX changed_lead_by_position ON changed_lead (brand_id, position)",
  "CREATE INDEX changed_lead_removed ON changed_lead (brand_id, removed_at) WHERE removed_at IS NOT NULL",
  "ALTER TABLE brand ADD COLUMN change_epoch TEXT NOT NULL DEFAULT ''",
  "ALTER TABLE brand ADD COLUMN changes_forgotten INTEGER NOT NULL DEFAULT 0"
]
