/**
 * Webhooks, and the way of each event to each of them. A body is kept only while its delivery is pending; the counts by
 * state are kept by triggers. Instants are milliseconds.
 */
export const webhooks: ReadonlyArray<string> = [
  `CREATE TABLE webhook (
     id INTEGER PRIMARY KEY AUTOINCREMENT, brand_id INTEGER NOT NULL REFERENCES brand, url TEXT NOT NULL,
     events TEXT NOT NULL, description TEXT, enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
     disabled_reason TEXT CHECK ((disabled_reason IS NULL) = enabled), failing_since INTEGER, secrets TEXT NOT NULL,
     created_at INTEGER NOT NULL) STRICT`,
  `CREATE INDEX webhook_by_brand ON webhook (brand_id)`,

  /* due_at of one that is leased is when the lease runs out; lease is the token of who holds it. position is null on a test. */
  `CREATE TABLE delivery (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, webhook_id INTEGER NOT NULL REFERENCES webhook,
     position INTEGER REFERENCES event, state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'dead')),
     attempts INTEGER NOT NULL, failures INTEGER NOT NULL, lease TEXT, due_at INTEGER, created_at INTEGER NOT NULL,
     finished_at INTEGER, resend_of TEXT, resent_as TEXT,
     CHECK ((state = 'pending') = (due_at IS NOT NULL)), CHECK ((state = 'pending') = (finished_at IS NULL))) STRICT`,
  `CREATE INDEX delivery_due ON delivery (webhook_id, due_at, seq) WHERE state = 'pending'`,
  `CREATE INDEX delivery_by_webhook ON delivery (webhook_id, seq)`,
  `CREATE INDEX delivery_by_state ON delivery (webhook_id, state, seq)`,
  `CREATE INDEX delivery_dead ON delivery (webhook_id, finished_at, seq) WHERE state = 'dead' AND resent_as IS NULL`,
  `CREATE INDEX delivery_by_event ON delivery (position) WHERE position IS NOT NULL`,
  `CREATE TABLE delivery_body (seq INTEGER PRIMARY KEY REFERENCES delivery, body TEXT NOT NULL) STRICT`,
  `CREATE TABLE attempt (
     delivery_seq INTEGER NOT NULL REFERENCES delivery, number INTEGER NOT NULL, at INTEGER NOT NULL,
     duration_millis INTEGER NOT NULL, status INTEGER, error TEXT, response TEXT,
     PRIMARY KEY (delivery_seq, number), CHECK ((status IS NULL) <> (error IS NULL))) STRICT, WITHOUT ROWID`,

  `CREATE TABLE delivery_count (
     webhook_id INTEGER NOT NULL, state TEXT NOT NULL, n INTEGER NOT NULL,
     PRIMARY KEY (webhook_id, state)) STRICT, WITHOUT ROWID`,
  `CREATE TRIGGER delivery_inserted AFTER INSERT ON delivery BEGIN
     INSERT INTO delivery_count VALUES (NEW.webhook_id, NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
   END`,
  `CREATE TRIGGER delivery_deleted AFTER DELETE ON delivery BEGIN
     UPDATE delivery_count SET n = n - 1 WHERE webhook_id = OLD.webhook_id AND state = OLD.state;
   END`,
  `CREATE TRIGGER delivery_settled AFTER UPDATE OF state ON delivery WHEN OLD.state <> NEW.state BEGIN
     UPDATE delivery_count SET n = n - 1 WHERE webhook_id = OLD.webhook_id AND state = OLD.state;
     INSERT INTO delivery_count VALUES (NEW.webhook_id, NEW.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
   END`
]
