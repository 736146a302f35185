/**
 * Each change of a lead that a filter could see has a number: who knows what was changed since a number need not count anew.
 * Triggers count, so that no statement is missed, whichever connection runs it.
 */

const numbered = (name: string, event: string): string =>
  `CREATE TRIGGER ${name} AFTER ${event} ON lead BEGIN UPDATE lead_change SET n = n + 1 WHERE id = 1; END`

/** Adds `lead_change`, one row with the number of the newest change, and the triggers that raise it. */
export const numberedChanges: ReadonlyArray<string> = [
  "CREATE TABLE lead_change (id INTEGER PRIMARY KEY CHECK (id = 1), n INTEGER NOT NULL) STRICT",
  "INSERT INTO lead_change VALUES (1, 0)",
  numbered("lead_added", "INSERT"),
  numbered("lead_changed", "UPDATE OF brand_id, name, headline, signal_ids, flags, created_at, updated_at"),
  numbered("lead_removed", "DELETE")
]
