/**
 * The first schema. Counters, day counts and search indexes are kept beside the leads, in the same transaction: the
 * counts by triggers, so that no statement can forget them, the search indexes by the store, which folds the texts.
 */
export const leads: ReadonlyArray<string> = [
  /* Directory */
  `CREATE TABLE brand (
     id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, suppression_secret TEXT NOT NULL,
     created_at INTEGER NOT NULL) STRICT`,
  `CREATE TABLE api_key (
     id INTEGER PRIMARY KEY AUTOINCREMENT, brand_id INTEGER NOT NULL REFERENCES brand, label TEXT NOT NULL,
     start TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, requests_per_minute INTEGER NOT NULL, created_at INTEGER NOT NULL,
     last_used_at INTEGER, revoked_at INTEGER) STRICT`,
  `CREATE INDEX api_key_by_brand ON api_key (brand_id)`,
  `CREATE TABLE signal (
     id INTEGER PRIMARY KEY AUTOINCREMENT, brand_id INTEGER NOT NULL REFERENCES brand, name TEXT NOT NULL,
     signal_type TEXT NOT NULL, source TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT`,
  `CREATE INDEX signal_by_brand ON signal (brand_id)`,
  `CREATE TABLE campaign (
     id INTEGER PRIMARY KEY AUTOINCREMENT, brand_id INTEGER NOT NULL REFERENCES brand, name TEXT NOT NULL,
     created_at INTEGER NOT NULL) STRICT`,
  `CREATE INDEX campaign_by_brand ON campaign (brand_id)`,
  `CREATE TABLE reading (
     campaign_id INTEGER NOT NULL REFERENCES campaign, post_id TEXT NOT NULL, day TEXT NOT NULL,
     impressions INTEGER NOT NULL, reactions INTEGER NOT NULL, comments INTEGER NOT NULL, reposts INTEGER NOT NULL,
     PRIMARY KEY (campaign_id, post_id, day)) STRICT, WITHOUT ROWID`,
  `CREATE INDEX reading_by_day ON reading (campaign_id, day)`,

  /* Leads. flags: 1 qualified, 2 exported, 4 isEmployee. Instants are milliseconds. */
  `CREATE TABLE lead (
     id INTEGER PRIMARY KEY AUTOINCREMENT, brand_id INTEGER NOT NULL REFERENCES brand, ext_id TEXT NOT NULL,
     name TEXT NOT NULL, name_key TEXT NOT NULL, headline TEXT, username TEXT, title1 TEXT, li_profile_url TEXT,
     profile_img_url TEXT, company TEXT, profile_times TEXT NOT NULL, signal_id INTEGER NOT NULL,
     signal_ids TEXT NOT NULL, flags INTEGER NOT NULL CHECK (flags BETWEEN 0 AND 7), score1 REAL,
     score_missing INTEGER NOT NULL CHECK (score_missing = (score1 IS NULL)),
     created_at INTEGER NOT NULL CHECK (created_at >= 0),
     updated_at INTEGER NOT NULL CHECK (updated_at >= created_at),
     UNIQUE (brand_id, ext_id)) STRICT`,
  `CREATE INDEX lead_by_created ON lead (brand_id, created_at, id, flags)`,
  `CREATE INDEX lead_by_updated ON lead (brand_id, updated_at, id, flags)`,
  `CREATE INDEX lead_by_name ON lead (brand_id, name_key, id, flags)`,
  `CREATE INDEX lead_by_score ON lead (brand_id, score_missing, score1, id, flags)`,
  `CREATE INDEX lead_by_score_desc ON lead (brand_id, score_missing, score1 DESC, id, flags)`,
  `CREATE INDEX lead_by_flags ON lead (brand_id, flags)`,
  `CREATE TABLE lead_signal (
     signal_id INTEGER NOT NULL REFERENCES signal, lead_id INTEGER NOT NULL REFERENCES lead,
     PRIMARY KEY (signal_id, lead_id)) STRICT, WITHOUT ROWID`,
  `CREATE INDEX lead_signal_by_lead ON lead_signal (lead_id, signal_id)`,
  `CREATE TABLE engagement (
     seq INTEGER PRIMARY KEY, brand_id INTEGER NOT NULL REFERENCES brand, id TEXT NOT NULL,
     lead_id INTEGER NOT NULL REFERENCES lead, signal_id INTEGER NOT NULL REFERENCES signal, type TEXT,
     reaction_type TEXT, comment_text TEXT, post_url TEXT, post_content TEXT, post_posted_at INTEGER, post_author TEXT,
     post_author_detail TEXT, author_ext_id TEXT, emitted_at INTEGER, tracked_at INTEGER NOT NULL,
     UNIQUE (brand_id, id)) STRICT`,
  `CREATE INDEX engagement_by_lead ON engagement (lead_id, tracked_at, id)`,
  `CREATE INDEX engagement_by_author ON engagement (brand_id, author_ext_id) WHERE author_ext_id IS NOT NULL`,
  `CREATE TABLE suppression (
     brand_id INTEGER NOT NULL REFERENCES brand, hash TEXT NOT NULL,
     PRIMARY KEY (brand_id, hash)) STRICT, WITHOUT ROWID`,

  /* Outbox */
  `CREATE TABLE event (
     position INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL, brand_id INTEGER NOT NULL REFERENCES brand,
     lead_id INTEGER NOT NULL, engagement_id TEXT NOT NULL, is_first_activity INTEGER NOT NULL,
     occurred_at INTEGER NOT NULL) STRICT`,
  `CREATE INDEX event_by_lead ON event (lead_id)`,

  /* Counters. signal_id 0 counts all leads of the brand; field is created or updated, day counts days since 1970. */
  `CREATE TABLE lead_count (
     brand_id INTEGER NOT NULL, signal_id INTEGER NOT NULL, flags INTEGER NOT NULL, n INTEGER NOT NULL,
     PRIMARY KEY (brand_id, signal_id, flags)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE lead_day_count (
     brand_id INTEGER NOT NULL, field TEXT NOT NULL, day INTEGER NOT NULL, flags INTEGER NOT NULL, n INTEGER NOT NULL,
     PRIMARY KEY (brand_id, field, day, flags)) STRICT, WITHOUT ROWID`,
  `CREATE TRIGGER lead_inserted AFTER INSERT ON lead BEGIN
     INSERT INTO lead_count VALUES (NEW.brand_id, 0, NEW.flags, 1) ON CONFLICT DO UPDATE SET n = n + 1;
     INSERT INTO lead_day_count VALUES (NEW.brand_id, 'created', NEW.created_at / 86400000, NEW.flags, 1)
       ON CONFLICT DO UPDATE SET n = n + 1;
     INSERT INTO lead_day_count VALUES (NEW.brand_id, 'updated', NEW.updated_at / 86400000, NEW.flags, 1)
       ON CONFLICT DO UPDATE SET n = n + 1;
   END`,
  `CREATE TRIGGER lead_deleted AFTER DELETE ON lead BEGIN
     UPDATE lead_count SET n = n - 1 WHERE brand_id = OLD.brand_id AND signal_id = 0 AND flags = OLD.flags;
     UPDATE lead_day_count SET n = n - 1
       WHERE brand_id = OLD.brand_id AND field = 'created' AND day = OLD.created_at / 86400000 AND flags = OLD.flags;
     UPDATE lead_day_count SET n = n - 1
       WHERE brand_id = OLD.brand_id AND field = 'updated' AND day = OLD.updated_at / 86400000 AND flags = OLD.flags;
   END`,
  `CREATE TRIGGER lead_reflagged AFTER UPDATE OF flags ON lead WHEN OLD.flags <> NEW.flags BEGIN
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
   END`,
  `CREATE TRIGGER lead_touched AFTER UPDATE OF flags, updated_at ON lead
     WHEN OLD.flags <> NEW.flags OR OLD.updated_at / 86400000 <> NEW.updated_at / 86400000 BEGIN
     UPDATE lead_day_count SET n = n - 1
       WHERE brand_id = OLD.brand_id AND field = 'updated' AND day = OLD.updated_at / 86400000 AND flags = OLD.flags;
     INSERT INTO lead_day_count VALUES (NEW.brand_id, 'updated', NEW.updated_at / 86400000, NEW.flags, 1)
       ON CONFLICT DO UPDATE SET n = n + 1;
   END`,
  `CREATE TRIGGER lead_caught AFTER INSERT ON lead_signal BEGIN
     INSERT INTO lead_count SELECT brand_id, NEW.signal_id, flags, 1 FROM lead WHERE id = NEW.lead_id
       ON CONFLICT DO UPDATE SET n = n + 1;
   END`,
  `CREATE TRIGGER lead_uncaught AFTER DELETE ON lead_signal BEGIN
     UPDATE lead_count SET n = n - 1
       WHERE signal_id = OLD.signal_id AND (brand_id, flags) = (SELECT brand_id, flags FROM lead WHERE id = OLD.lead_id);
   END`,

  /*
   * Search over the folded name and headline: three and more characters by trigrams, one and two by tokens of the
   * store's own making. Neither keeps the texts, and secure-delete takes an erased lead's entries out at once.
   */
  `CREATE VIRTUAL TABLE lead_text USING fts5(name, headline, content='', tokenize='trigram case_sensitive 1')`,
  `INSERT INTO lead_text (lead_text, rank) VALUES ('secure-delete', 1)`,
  `CREATE VIRTUAL TABLE lead_gram USING fts5(grams, content='', detail=none, tokenize='ascii')`,
  `INSERT INTO lead_gram (lead_gram, rank) VALUES ('secure-delete', 1)`,

  /* One row, written first in every transaction: it takes the write lock before anything is read. */
  `CREATE TABLE commits (n INTEGER NOT NULL) STRICT`,
  `INSERT INTO commits VALUES (0)`
]
