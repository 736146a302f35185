/**
 * What pruning needs: when each person was erased, and one row that says who prunes and which was the newest event that was pruned. A
 * person who was erased by an earlier version counts as erased now; nodes of that version go on beside this one.
 */
export const retention = `
ALTER TABLE lead_signals.suppression ADD COLUMN erased_at bigint DEFAULT (extract(epoch FROM now()) * 1000)::bigint;
CREATE TABLE lead_signals.pruning (
  id integer PRIMARY KEY CHECK (id = 1),
  holder text COLLATE "C" NOT NULL,
  held_until bigint NOT NULL,
  newest_event bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO lead_signals.pruning VALUES (1, '', 0, 0)`

/** Built while others write. */
export const retentionIndexes = {
  delivery_finished:
    "CREATE INDEX CONCURRENTLY delivery_finished ON lead_signals.delivery (state, finished_at, seq) WHERE state <> 'pending'"
}
