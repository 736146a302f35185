/**
 * Beside each lead what lists show of it, as JSON less its id, so that it is not made again for every answer. The store
 * writes it with the lead; a statement that changes what is shown without it takes it away, and a lead without it is
 * shown from its columns.
 */

const shownColumns =
  "ext_id, name, headline, username, title1, li_profile_url, profile_img_url, company, signal_id, signal_ids, flags, score1, created_at, updated_at"

/** Adds the column `shown` of `lead`, empty for the leads that there are, and the trigger that empties it. */
export const shown: ReadonlyArray<string> = [
  "ALTER TABLE lead ADD COLUMN shown TEXT",
  `CREATE TRIGGER lead_shown_otherwise AFTER UPDATE OF ${shownColumns} ON lead
   WHEN NEW.shown IS OLD.shown AND OLD.shown IS NOT NULL BEGIN
     UPDATE lead SET shown = NULL WHERE id = NEW.id;
   END`
]
