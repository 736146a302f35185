/**
 * What was removed so that it stays removed when a backup is restored: erasures, revocations and deletions, each recorded by a trigger
 * in the commit that removes. `subject` is a hash, or the number and creation of what was deleted, and never personal data. [REST-1]
 */

const entry = (at: string, kind: string, brand: string, subject: string): string =>
  `INSERT INTO removal (at, kind, brand_id, subject) VALUES (${at}, '${kind}', ${brand}, ${subject});`

/** Adds `removal`, `removal_journal`, and a trigger for each kind of removal. */
export const removals: ReadonlyArray<string> = [
  `CREATE TABLE removal (
     position INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, kind TEXT NOT NULL, brand_id INTEGER,
     subject TEXT NOT NULL) STRICT`,
  `CREATE TABLE removal_journal (
     id INTEGER PRIMARY KEY CHECK (id = 1), database_id TEXT NOT NULL, began_at INTEGER NOT NULL,
     dropped INTEGER NOT NULL) STRICT`,
  "INSERT INTO removal_journal VALUES (1, '', 0, 0)",
  `CREATE TRIGGER removal_of_person AFTER INSERT ON suppression BEGIN
     ${entry("coalesce(NEW.erased_at, unixepoch() * 1000)", "person", "NEW.brand_id", "NEW.hash")}
   END`,
  `CREATE TRIGGER removal_of_key AFTER UPDATE OF revoked_at ON api_key
   WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
     ${entry("NEW.revoked_at", "key", "NEW.brand_id", "NEW.hash")}
   END`,
  `CREATE TRIGGER removal_of_token AFTER UPDATE OF revoked_at ON access_token
   WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
     ${entry("NEW.revoked_at", "token", "NULL", "NEW.hash")}
   END`,
  `CREATE TRIGGER removal_of_signal AFTER UPDATE OF deleted_at ON signal
   WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL BEGIN
     ${entry("NEW.deleted_at", "signal", "NEW.brand_id", "NEW.id || ':' || NEW.created_at")}
   END`,
  `CREATE TRIGGER removal_of_campaign AFTER UPDATE OF deleted_at ON campaign
   WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL BEGIN
     ${entry("NEW.deleted_at", "campaign", "NEW.brand_id", "NEW.id || ':' || NEW.created_at")}
   END`,
  `CREATE TRIGGER removal_of_webhook AFTER DELETE ON webhook BEGIN
     ${entry("unixepoch() * 1000", "webhook", "OLD.brand_id", "OLD.id || ':' || OLD.created_at")}
   END`,
  `CREATE TRIGGER removal_of_brand AFTER UPDATE OF deletion_started_at ON brand
   WHEN OLD.deletion_started_at IS NULL AND NEW.deletion_started_at IS NOT NULL BEGIN
     ${entry("NEW.deletion_started_at", "brand", "NEW.id", "NEW.id || ':' || NEW.created_at")}
   END`
]
