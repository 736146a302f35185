/**
 * The leads of a signal in the order in which they were created, with their flags beside them: a page of a signal is read
 * there, and not looked for among the leads of all signals. Triggers keep both as the leads have them. Of a file with many
 * leads this takes some 13 s a million.
 */

/** As the first schema has it: a table that a trigger speaks of is not renamed while it is not there. */
const reflagged = `CREATE TRIGGER lead_reflagged AFTER UPDATE OF flags ON lead WHEN OLD.flags <> NEW.flags BEGIN
     UPDATE lead_count SET n = n - 1 WHERE brand_id = OLD.brand_id AND flags = OLD.flags
       AND signal_id IN (SELECT 0 UNION ALL SELECT signal_id FROM lead_signal WHERE lead_id = OLD.id);
     INSERT INTO lead_count
       SELECT NEW.brand_id, s.signal_id, NEW.flags, 1
       FROM (SELECT 0 AS signal_id UNION ALL SELECT signal_id FROM lead_signal WHERE lead_id = NEW.id) s WHERE true
       ON CONFLICT DO UPDATE SET n = n + 1;
     UPDATE lead_day_count SET n = n - 1
       WHERE brand_id = OLD.brand_id AND field = 'created' AND day = OLD.created_at / 86400000 AND flags = OLD.flags;
     INSERT INTO lead_day_count VALUES (NEW.brand_id, 'created', NEW.created_at / 86400000, NEW.flags, 1)
       ON CONFLICT DO UPDATE SET n = n + 1;
   END`

/** The signal says whose its leads are, and the row itself what flags they have. */
const counted = (row: "OLD" | "NEW", n: 1 | -1): string =>
  `INSERT INTO lead_count SELECT brand_id, id, ${row}.flags, ${n} FROM signal WHERE id = ${row}.signal_id
     ON CONFLICT DO UPDATE SET n = n + excluded.n;`

/** Rebuilds `lead_signal` with the key (signal, creation, lead) and flags, and the triggers that keep it. */
export const signalsInOrder: ReadonlyArray<string> = [
  `CREATE TABLE lead_signal_in_order (
     signal_id INTEGER NOT NULL REFERENCES signal, created_at INTEGER NOT NULL,
     lead_id INTEGER NOT NULL REFERENCES lead, flags INTEGER NOT NULL,
     PRIMARY KEY (signal_id, created_at, lead_id)) STRICT, WITHOUT ROWID`,
  `INSERT INTO lead_signal_in_order
   SELECT g.signal_id, l.created_at, l.id, l.flags FROM lead_signal g CROSS JOIN lead l ON l.id = g.lead_id
   ORDER BY g.signal_id, l.created_at, l.id`,
  "DROP TRIGGER lead_reflagged",
  "DROP TABLE lead_signal",
  "ALTER TABLE lead_signal_in_order RENAME TO lead_signal",
  reflagged,
  "CREATE UNIQUE INDEX lead_signal_by_lead ON lead_signal (lead_id, signal_id)",
  `CREATE TRIGGER lead_caught AFTER INSERT ON lead_signal BEGIN ${counted("NEW", 1)} END`,
  `CREATE TRIGGER lead_uncaught AFTER DELETE ON lead_signal BEGIN ${counted("OLD", -1)} END`,
  `CREATE TRIGGER lead_caught_otherwise AFTER UPDATE OF flags, created_at ON lead
   WHEN OLD.flags <> NEW.flags OR OLD.created_at <> NEW.created_at BEGIN
     UPDATE lead_signal SET flags = NEW.flags, created_at = NEW.created_at WHERE lead_id = NEW.id;
   END`
]
