/**
 * What pruning needs: an index of finished deliveries, when each person was erased, and one row that says who prunes and which was
 * the newest event that was pruned. A person who was erased by an earlier version counts as erased now. [RET-1, RET-4, RET-5]
 */
export const retention: ReadonlyArray<string> = [
  "CREATE INDEX delivery_finished ON delivery (state, finished_at, seq) WHERE state <> 'pending'",
  "ALTER TABLE suppression ADD COLUMN erased_at INTEGER",
  "UPDATE suppression SET erased_at = unixepoch() * 1000",
  `CREATE TABLE pruning (
     id INTEGER PRIMARY KEY CHECK (id = 1), holder TEXT NOT NULL, held_until INTEGER NOT NULL,
     newest_event INTEGER NOT NULL) STRICT`,
  "INSERT INTO pruning VALUES (1, '', 0, 0)"
]
