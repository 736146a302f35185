/** What is kept of Idempotency-Keys for a day. It refers to no other table: a brand's deletion leaves it. [IDEM-5] */
export const idempotency: ReadonlyArray<string> = [
  `CREATE TABLE idempotency_record (
     id TEXT PRIMARY KEY NOT NULL, actor TEXT NOT NULL, fingerprint TEXT NOT NULL, holder TEXT NOT NULL, state TEXT NOT NULL,
     created_at INTEGER NOT NULL, lease_until INTEGER NOT NULL, answer TEXT) STRICT`,
  "CREATE INDEX idempotency_record_by_time ON idempotency_record (created_at)",
  "CREATE INDEX idempotency_record_by_actor ON idempotency_record (actor)"
]
