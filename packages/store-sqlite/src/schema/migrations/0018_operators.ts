/**
 * Operators' tokens, by their hash, and the audit log, which refers to no other table: it outlives what it names. Keys of
 * before read everything from every address and do not expire. [OPER-11, AUD-1, AUTH-9, AUTH-10, AUTH-11]
 */
export const operators: ReadonlyArray<string> = [
  `CREATE TABLE access_token (
     id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, start TEXT NOT NULL, hash TEXT NOT NULL UNIQUE,
     scopes TEXT NOT NULL, brand_ids TEXT, created_at INTEGER NOT NULL, expires_at INTEGER, last_used_at INTEGER,
     revoked_at INTEGER) STRICT`,
  `CREATE TABLE audit_entry (
     id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, actor_type TEXT NOT NULL, actor_id INTEGER,
     via_session INTEGER NOT NULL, operation TEXT NOT NULL, brand_id INTEGER, subject_id TEXT, status INTEGER) STRICT`,
  "CREATE INDEX audit_entry_by_time ON audit_entry (at, id)",
  "CREATE INDEX audit_entry_by_brand ON audit_entry (brand_id, at, id)",
  "ALTER TABLE api_key ADD COLUMN expires_at INTEGER",
  `ALTER TABLE api_key ADD COLUMN scopes TEXT NOT NULL DEFAULT '["leads","metrics"]'`,
  "ALTER TABLE api_key ADD COLUMN allowed_addresses TEXT"
]
