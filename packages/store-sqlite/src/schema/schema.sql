-- The schema of a file of this version, kept by hand: what the migrations come to, as test/store-sqlite/schema.test.ts checks. Nothing
-- runs it: a new file takes the same steps as an older one. docs/data-model.md explains every table, column and index.

PRAGMA application_id = 0x4c536967; -- "LSig"

-- Versions of the file: one row a migration.
CREATE TABLE migration (
  migration_id integer PRIMARY KEY NOT NULL,
  created_at datetime NOT NULL DEFAULT current_timestamp,
  name VARCHAR(255) NOT NULL
);

-- Directory. Instants are milliseconds since 1970. Rows of deleted brands and signals stay as numbers that are never given again.
CREATE TABLE brand (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  suppression_secret TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deletion_started_at INTEGER,
  deleted_at INTEGER,
  change_epoch TEXT NOT NULL DEFAULT '',
  changes_forgotten INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE api_key (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  brand_id INTEGER NOT NULL REFERENCES brand,
  label TEXT NOT NULL,
  start TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  requests_per_minute INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER,
  expires_at INTEGER,
  scopes TEXT NOT NULL DEFAULT '["leads","metrics"]',
  allowed_addresses TEXT
) STRICT;
CREATE INDEX api_key_by_brand ON api_key (brand_id);
CREATE TABLE access_token (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  start TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  brand_ids TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE TABLE signal (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  brand_id INTEGER NOT NULL REFERENCES brand,
  name TEXT NOT NULL,
  signal_type TEXT NOT NULL,
  source TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE INDEX signal_by_brand ON signal (brand_id);
CREATE TABLE campaign (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  brand_id INTEGER NOT NULL REFERENCES brand,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE INDEX campaign_by_brand ON campaign (brand_id);
CREATE TABLE reading (
  campaign_id INTEGER NOT NULL REFERENCES campaign,
  post_id TEXT NOT NULL,
  day TEXT NOT NULL,
  impressions INTEGER NOT NULL,
  reactions INTEGER NOT NULL,
  comments INTEGER NOT NULL,
  reposts INTEGER NOT NULL,
  PRIMARY KEY (campaign_id, post_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX reading_by_day ON reading (campaign_id, day);

-- Leads. flags: 1 qualified, 2 exported, 4 isEmployee. name_key is the folded name. A missing score ranks last in both score
-- orders. shown is the JSON that lists render of the lead, without its id; null until it is rendered again.
CREATE TABLE lead (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  brand_id INTEGER NOT NULL REFERENCES brand,
  ext_id TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  headline TEXT,
  username TEXT,
  title1 TEXT,
  li_profile_url TEXT,
  profile_img_url TEXT,
  company TEXT,
  profile_times TEXT NOT NULL,
  signal_id INTEGER NOT NULL,
  signal_ids TEXT NOT NULL,
  flags INTEGER NOT NULL CHECK (flags BETWEEN 0 AND 7),
  score1 REAL,
  score_missing INTEGER NOT NULL CHECK (score_missing = (score1 IS NULL)),
  created_at INTEGER NOT NULL CHECK (created_at >= 0),
  updated_at INTEGER NOT NULL CHECK (updated_at >= created_at),
  score_rank REAL NOT NULL DEFAULT 9e999,
  score_rank_desc REAL NOT NULL DEFAULT 9e999,
  shown TEXT,
  UNIQUE (brand_id, ext_id)
) STRICT;
CREATE INDEX lead_by_created ON lead (brand_id, created_at, id, flags);
CREATE INDEX lead_by_updated ON lead (brand_id, updated_at, id, flags);
CREATE INDEX lead_by_name ON lead (brand_id, name_key, id, flags);
CREATE INDEX lead_by_score ON lead (brand_id, score_rank, id, flags);
CREATE INDEX lead_by_score_desc ON lead (brand_id, score_rank_desc, id, flags);
CREATE INDEX lead_by_flags ON lead (brand_id, flags, created_at, id);

-- Which signals caught which leads, with what pages of a signal need of the lead.
CREATE TABLE lead_signal (
  signal_id INTEGER NOT NULL REFERENCES signal,
  created_at INTEGER NOT NULL,
  lead_id INTEGER NOT NULL REFERENCES lead,
  flags INTEGER NOT NULL,
  PRIMARY KEY (signal_id, created_at, lead_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX lead_signal_by_lead ON lead_signal (lead_id, signal_id);

-- What leads did.
CREATE TABLE engagement (
  seq INTEGER PRIMARY KEY,
  brand_id INTEGER NOT NULL REFERENCES brand,
  id TEXT NOT NULL,
  lead_id INTEGER NOT NULL REFERENCES lead,
  signal_id INTEGER NOT NULL REFERENCES signal,
  type TEXT,
  reaction_type TEXT,
  comment_text TEXT,
  post_url TEXT,
  post_content TEXT,
  post_posted_at INTEGER,
  post_author TEXT,
  post_author_detail TEXT,
  author_ext_id TEXT,
  emitted_at INTEGER,
  tracked_at INTEGER NOT NULL,
  UNIQUE (brand_id, id)
) STRICT;
CREATE INDEX engagement_by_lead ON engagement (lead_id, tracked_at, id);
CREATE INDEX engagement_by_author ON engagement (brand_id, author_ext_id) WHERE author_ext_id IS NOT NULL;

-- Hashes of erased persons, who are not recorded again.
CREATE TABLE suppression (
  brand_id INTEGER NOT NULL REFERENCES brand,
  hash TEXT NOT NULL,
  erased_at INTEGER,
  PRIMARY KEY (brand_id, hash)
) STRICT, WITHOUT ROWID;

-- What was erased, revoked or deleted, for the journal beside the file, from which a restored backup learns it. database_id is the
-- database's own name, empty until a store has opened the file; dropped is the newest position that is not kept any more.
CREATE TABLE removal (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  brand_id INTEGER,
  subject TEXT NOT NULL
) STRICT;
CREATE TABLE removal_journal (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  database_id TEXT NOT NULL,
  began_at INTEGER NOT NULL,
  dropped INTEGER NOT NULL
) STRICT;
INSERT INTO removal_journal VALUES (1, '', 0, 0);

-- The feed of changes, where no event tells of the newest change of a lead. Positions are of the sequence of events; removed_at is when
-- a lead went that is gone.
CREATE TABLE changed_lead (
  lead_id INTEGER PRIMARY KEY,
  brand_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  removed_at INTEGER
) STRICT;
CREATE INDEX changed_lead_by_position ON changed_lead (brand_id, position);
CREATE INDEX changed_lead_removed ON changed_lead (brand_id, removed_at) WHERE removed_at IS NOT NULL;

-- Outbox: events, and the way of each to each webhook. delivery.due_at of a leased delivery is when its lease runs out; position is
-- null on a test. A body is kept only while its delivery is pending. ordered_lead is set where the webhook was ordered when the event was
-- committed; a delivery that waits for an earlier one of that lead is due at 8640000000000000, the last instant there is.
CREATE TABLE event (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  event TEXT NOT NULL,
  brand_id INTEGER NOT NULL REFERENCES brand,
  lead_id INTEGER NOT NULL,
  engagement_id TEXT NOT NULL,
  is_first_activity INTEGER NOT NULL,
  occurred_at INTEGER NOT NULL
) STRICT;
CREATE INDEX event_by_lead ON event (lead_id);
CREATE TABLE webhook (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  brand_id INTEGER NOT NULL REFERENCES brand,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  description TEXT,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  disabled_reason TEXT CHECK ((disabled_reason IS NULL) = enabled),
  failing_since INTEGER,
  secrets TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  ordering TEXT NOT NULL DEFAULT 'none' CHECK (ordering IN ('none', 'lead')),
  max_delay INTEGER,
  format TEXT NOT NULL DEFAULT 'envelope' CHECK (format IN ('envelope', 'cloudevents')),
  max_batch INTEGER NOT NULL DEFAULT 1,
  max_wait INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX webhook_by_brand ON webhook (brand_id);
CREATE TABLE delivery (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  webhook_id INTEGER NOT NULL REFERENCES webhook,
  position INTEGER REFERENCES event,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'dead')),
  attempts INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  lease TEXT,
  due_at INTEGER,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  resend_of TEXT,
  resent_as TEXT,
  failing_since INTEGER,
  ordered_lead INTEGER,
  CHECK ((state = 'pending') = (due_at IS NOT NULL)),
  CHECK ((state = 'pending') = (finished_at IS NULL))
) STRICT;
CREATE INDEX delivery_due ON delivery (webhook_id, due_at, seq) WHERE state = 'pending';
CREATE INDEX delivery_by_webhook ON delivery (webhook_id, seq);
CREATE INDEX delivery_by_state ON delivery (webhook_id, state, seq);
CREATE INDEX delivery_dead ON delivery (webhook_id, finished_at, seq) WHERE state = 'dead' AND resent_as IS NULL;
CREATE INDEX delivery_finished ON delivery (state, finished_at, seq) WHERE state <> 'pending';
CREATE INDEX delivery_by_event ON delivery (position) WHERE position IS NOT NULL;
CREATE INDEX delivery_in_order ON delivery (webhook_id, ordered_lead, seq) WHERE ordered_lead IS NOT NULL;
CREATE TABLE delivery_body (seq INTEGER PRIMARY KEY REFERENCES delivery, body TEXT NOT NULL) STRICT;
CREATE TABLE attempt (
  delivery_seq INTEGER NOT NULL REFERENCES delivery,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  duration_millis INTEGER NOT NULL,
  status INTEGER,
  error TEXT,
  response TEXT,
  batch_id TEXT,
  format TEXT NOT NULL DEFAULT 'envelope',
  PRIMARY KEY (delivery_seq, number),
  CHECK ((status IS NULL) <> (error IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX attempt_by_batch ON attempt (batch_id) WHERE batch_id IS NOT NULL AND response IS NOT NULL;
CREATE TABLE delivery_count (
  webhook_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, state)
) STRICT, WITHOUT ROWID;

-- One row: who prunes, until when others leave it to them, and the greatest position of an event that was pruned.
CREATE TABLE pruning (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  holder TEXT NOT NULL,
  held_until INTEGER NOT NULL,
  newest_event INTEGER NOT NULL
) STRICT;
INSERT INTO pruning VALUES (1, '', 0, 0);

-- One row: the id of the encryption key that wraps the secrets of brands and webhooks; null where they are plain.
CREATE TABLE secret_wrapping (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  key_id TEXT
) STRICT;
INSERT INTO secret_wrapping VALUES (1, NULL);

-- Who did what. It refers to no other table: it outlives what it names. status is null until the call has ended.
CREATE TABLE audit_entry (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor_type TEXT NOT NULL,
  actor_id INTEGER,
  via_session INTEGER NOT NULL,
  operation TEXT NOT NULL,
  brand_id INTEGER,
  subject_id TEXT,
  status INTEGER
) STRICT;
CREATE INDEX audit_entry_by_time ON audit_entry (at, id);
CREATE INDEX audit_entry_by_brand ON audit_entry (brand_id, at, id);

-- What is kept of Idempotency-Keys for a day. state is reserved, applied or answered; answer is sealed under the key, which is not kept.
CREATE TABLE idempotency_record (
  id TEXT PRIMARY KEY NOT NULL,
  actor TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  holder TEXT NOT NULL,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  answer TEXT
) STRICT;
CREATE INDEX idempotency_record_by_time ON idempotency_record (created_at);
CREATE INDEX idempotency_record_by_actor ON idempotency_record (actor);

-- Counters, which the store writes once a commit; triggers count what is deleted. signal_id 0 counts all leads of a brand; field is created or updated; day counts days since 1970.
CREATE TABLE lead_count (
  brand_id INTEGER NOT NULL,
  signal_id INTEGER NOT NULL,
  flags INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (brand_id, signal_id, flags)
) STRICT, WITHOUT ROWID;
CREATE TABLE lead_day_count (
  brand_id INTEGER NOT NULL,
  field TEXT NOT NULL,
  day INTEGER NOT NULL,
  flags INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (brand_id, field, day, flags)
) STRICT, WITHOUT ROWID;

-- Counts by the hour, kept in the same way: of leads (kind lead; signal_id 0 counts all leads of a brand), of engagements (kind engagement),
-- and of deliveries that ended. hour counts hours since 1970; type is empty where an engagement has none.
CREATE TABLE activity_hour (
  brand_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  hour INTEGER NOT NULL,
  signal_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (brand_id, kind, hour, signal_id, type)
) STRICT, WITHOUT ROWID;
CREATE TABLE delivery_hour (
  webhook_id INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  state TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, hour, state)
) STRICT, WITHOUT ROWID;

-- Rank buckets: each order of a brand is cut into buckets, each from (key, id) to the beginning of the next; n0 to n7 count the leads
-- of a bucket by their flags. The store counts once a commit and splits long buckets; triggers count what is deleted.
CREATE TABLE lead_stretch (
  seq INTEGER PRIMARY KEY,
  brand_id INTEGER NOT NULL,
  ordering TEXT NOT NULL,
  key ANY NOT NULL,
  id INTEGER NOT NULL,
  n0 INTEGER NOT NULL DEFAULT 0,
  n1 INTEGER NOT NULL DEFAULT 0,
  n2 INTEGER NOT NULL DEFAULT 0,
  n3 INTEGER NOT NULL DEFAULT 0,
  n4 INTEGER NOT NULL DEFAULT 0,
  n5 INTEGER NOT NULL DEFAULT 0,
  n6 INTEGER NOT NULL DEFAULT 0,
  n7 INTEGER NOT NULL DEFAULT 0,
  UNIQUE (brand_id, ordering, key, id)
) STRICT;
CREATE INDEX lead_stretch_long ON lead_stretch (seq) WHERE n0 + n1 + n2 + n3 + n4 + n5 + n6 + n7 > 1536;

-- The number of the newest change of leads that a filter could see: each transaction that changes some has one.
CREATE TABLE lead_change (id INTEGER PRIMARY KEY CHECK (id = 1), n INTEGER NOT NULL) STRICT;
INSERT INTO lead_change VALUES (1, 0);

-- Search: trigrams of folded names and headlines, and tokens of one and two characters. The store writes the entries and merges the
-- segments; segment_merge says who merges, and whether a merge is under way.
CREATE VIRTUAL TABLE lead_text USING fts5(name, headline, content='', tokenize='ascii');
INSERT INTO lead_text (lead_text, rank) VALUES ('automerge', 0), ('secure-delete', 1);
CREATE VIRTUAL TABLE lead_gram USING fts5(grams, content='', detail=none, tokenize='ascii');
INSERT INTO lead_gram (lead_gram, rank) VALUES ('automerge', 0), ('secure-delete', 1);
CREATE TABLE segment_merge (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  owner INTEGER NOT NULL,
  is_under_way INTEGER NOT NULL CHECK (is_under_way IN (0, 1))
) STRICT;
INSERT INTO segment_merge VALUES (1, 0, 0);

-- One row, which the writing thread changes to begin a new write-ahead log.
CREATE TABLE commits (n INTEGER NOT NULL) STRICT;
INSERT INTO commits VALUES (0);

-- Triggers that count deleted deliveries.
CREATE TRIGGER delivery_deleted AFTER DELETE ON delivery BEGIN
  UPDATE delivery_count SET n = n - 1 WHERE webhook_id = OLD.webhook_id AND state = OLD.state;
END;

-- Triggers that count deleted leads.
CREATE TRIGGER lead_deleted AFTER DELETE ON lead BEGIN
  UPDATE lead_count SET n = n - 1 WHERE brand_id = OLD.brand_id AND signal_id = 0 AND flags = OLD.flags;
  UPDATE lead_day_count SET n = n - 1
    WHERE brand_id = OLD.brand_id AND field = 'created' AND day = OLD.created_at / 86400000 AND flags = OLD.flags;
  UPDATE lead_day_count SET n = n - 1
    WHERE brand_id = OLD.brand_id AND field = 'updated' AND day = OLD.updated_at / 86400000 AND flags = OLD.flags;
END;
CREATE TRIGGER lead_uncaught AFTER DELETE ON lead_signal BEGIN
  INSERT INTO lead_count SELECT brand_id, id, OLD.flags, -1 FROM signal
    WHERE id = OLD.signal_id
    ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;

-- Triggers that number deletions, and forget what is shown otherwise.
CREATE TRIGGER lead_shown_otherwise AFTER UPDATE OF ext_id, name, headline, username, title1, li_profile_url, profile_img_url, company, signal_id, signal_ids, flags, score1, created_at, updated_at ON lead
WHEN NEW.shown IS OLD.shown AND OLD.shown IS NOT NULL BEGIN
  UPDATE lead SET shown = NULL WHERE id = NEW.id;
END;
CREATE TRIGGER lead_removed AFTER DELETE ON lead BEGIN
  UPDATE lead_change SET n = n + 1 WHERE id = 1;
END;

-- Triggers that make the first rank buckets, and count deleted leads in their buckets.
CREATE TRIGGER brand_inserted AFTER INSERT ON brand BEGIN
  INSERT INTO lead_stretch (brand_id, ordering, key, id) VALUES (NEW.id, 'created', -9e999, 0);
  INSERT INTO lead_stretch (brand_id, ordering, key, id) VALUES (NEW.id, 'updated', -9e999, 0);
  INSERT INTO lead_stretch (brand_id, ordering, key, id) VALUES (NEW.id, 'name', '', 0);
  INSERT INTO lead_stretch (brand_id, ordering, key, id) VALUES (NEW.id, 'score', -9e999, 0);
  INSERT INTO lead_stretch (brand_id, ordering, key, id) VALUES (NEW.id, 'scoreDesc', -9e999, 0);
END;
CREATE TRIGGER lead_gone AFTER DELETE ON lead BEGIN
  UPDATE lead_stretch SET n0 = n0 - (OLD.flags = 0), n1 = n1 - (OLD.flags = 1), n2 = n2 - (OLD.flags = 2), n3 = n3 - (OLD.flags = 3), n4 = n4 - (OLD.flags = 4), n5 = n5 - (OLD.flags = 5), n6 = n6 - (OLD.flags = 6), n7 = n7 - (OLD.flags = 7)
    WHERE seq = (SELECT seq FROM lead_stretch WHERE brand_id = OLD.brand_id AND ordering = 'created'
      AND (key, id) <= (OLD.created_at, OLD.id) ORDER BY key DESC, id DESC LIMIT 1);
  UPDATE lead_stretch SET n0 = n0 - (OLD.flags = 0), n1 = n1 - (OLD.flags = 1), n2 = n2 - (OLD.flags = 2), n3 = n3 - (OLD.flags = 3), n4 = n4 - (OLD.flags = 4), n5 = n5 - (OLD.flags = 5), n6 = n6 - (OLD.flags = 6), n7 = n7 - (OLD.flags = 7)
    WHERE seq = (SELECT seq FROM lead_stretch WHERE brand_id = OLD.brand_id AND ordering = 'updated'
      AND (key, id) <= (OLD.updated_at, OLD.id) ORDER BY key DESC, id DESC LIMIT 1);
  UPDATE lead_stretch SET n0 = n0 - (OLD.flags = 0), n1 = n1 - (OLD.flags = 1), n2 = n2 - (OLD.flags = 2), n3 = n3 - (OLD.flags = 3), n4 = n4 - (OLD.flags = 4), n5 = n5 - (OLD.flags = 5), n6 = n6 - (OLD.flags = 6), n7 = n7 - (OLD.flags = 7)
    WHERE seq = (SELECT seq FROM lead_stretch WHERE brand_id = OLD.brand_id AND ordering = 'name'
      AND (key, id) <= (OLD.name_key, OLD.id) ORDER BY key DESC, id DESC LIMIT 1);
  UPDATE lead_stretch SET n0 = n0 - (OLD.flags = 0), n1 = n1 - (OLD.flags = 1), n2 = n2 - (OLD.flags = 2), n3 = n3 - (OLD.flags = 3), n4 = n4 - (OLD.flags = 4), n5 = n5 - (OLD.flags = 5), n6 = n6 - (OLD.flags = 6), n7 = n7 - (OLD.flags = 7)
    WHERE seq = (SELECT seq FROM lead_stretch WHERE brand_id = OLD.brand_id AND ordering = 'score'
      AND (key, id) <= (OLD.score_rank, OLD.id) ORDER BY key DESC, id DESC LIMIT 1);
  UPDATE lead_stretch SET n0 = n0 - (OLD.flags = 0), n1 = n1 - (OLD.flags = 1), n2 = n2 - (OLD.flags = 2), n3 = n3 - (OLD.flags = 3), n4 = n4 - (OLD.flags = 4), n5 = n5 - (OLD.flags = 5), n6 = n6 - (OLD.flags = 6), n7 = n7 - (OLD.flags = 7)
    WHERE seq = (SELECT seq FROM lead_stretch WHERE brand_id = OLD.brand_id AND ordering = 'scoreDesc'
      AND (key, id) <= (OLD.score_rank_desc, OLD.id) ORDER BY key DESC, id DESC LIMIT 1);
END;

-- Triggers that count by the hour what is deleted.
CREATE TRIGGER activity_lead_deleted AFTER DELETE ON lead BEGIN
  UPDATE activity_hour SET n = n - 1
    WHERE brand_id = OLD.brand_id AND kind = 'lead' AND hour = OLD.created_at / 3600000 AND signal_id = 0 AND type = '';
END;
CREATE TRIGGER activity_lead_uncaught AFTER DELETE ON lead_signal BEGIN
  INSERT INTO activity_hour SELECT brand_id, 'lead', OLD.created_at / 3600000, id, '', -1 FROM signal WHERE id = OLD.signal_id
    ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER activity_engagement_deleted AFTER DELETE ON engagement BEGIN
  UPDATE activity_hour SET n = n - 1
    WHERE brand_id = OLD.brand_id AND kind = 'engagement' AND hour = (OLD.tracked_at - ((OLD.tracked_at % 3600000) + 3600000) % 3600000) / 3600000 AND signal_id = OLD.signal_id AND type = coalesce(OLD.type, '');
END;
CREATE TRIGGER delivery_hour_deleted AFTER DELETE ON delivery WHEN OLD.state <> 'pending' BEGIN
  UPDATE delivery_hour SET n = n - 1
    WHERE webhook_id = OLD.webhook_id AND hour = OLD.finished_at / 3600000 AND state = OLD.state;
END;

-- Triggers that record removals.
CREATE TRIGGER removal_of_person AFTER INSERT ON suppression BEGIN
  INSERT INTO removal (at, kind, brand_id, subject) VALUES (coalesce(NEW.erased_at, unixepoch() * 1000), 'person', NEW.brand_id, NEW.hash);
END;
CREATE TRIGGER removal_of_key AFTER UPDATE OF revoked_at ON api_key
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
  INSERT INTO removal (at, kind, brand_id, subject) VALUES (NEW.revoked_at, 'key', NEW.brand_id, NEW.hash);
END;
CREATE TRIGGER removal_of_token AFTER UPDATE OF revoked_at ON access_token
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
  INSERT INTO removal (at, kind, brand_id, subject) VALUES (NEW.revoked_at, 'token', NULL, NEW.hash);
END;
CREATE TRIGGER removal_of_signal AFTER UPDATE OF deleted_at ON signal
WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL BEGIN
  INSERT INTO removal (at, kind, brand_id, subject) VALUES (NEW.deleted_at, 'signal', NEW.brand_id, NEW.id || ':' || NEW.created_at);
END;
CREATE TRIGGER removal_of_campaign AFTER UPDATE OF deleted_at ON campaign
WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL BEGIN
  INSERT INTO removal (at, kind, brand_id, subject) VALUES (NEW.deleted_at, 'campaign', NEW.brand_id, NEW.id || ':' || NEW.created_at);
END;
CREATE TRIGGER removal_of_webhook AFTER DELETE ON webhook BEGIN
  INSERT INTO removal (at, kind, brand_id, subject) VALUES (unixepoch() * 1000, 'webhook', OLD.brand_id, OLD.id || ':' || OLD.created_at);
END;
CREATE TRIGGER removal_of_brand AFTER UPDATE OF deletion_started_at ON brand
WHEN OLD.deletion_started_at IS NULL AND NEW.deletion_started_at IS NOT NULL BEGIN
  INSERT INTO removal (at, kind, brand_id, subject) VALUES (NEW.deletion_started_at, 'brand', NEW.id, NEW.id || ':' || NEW.created_at);
END;
