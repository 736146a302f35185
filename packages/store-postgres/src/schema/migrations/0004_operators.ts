/**
 * Operators' tokens, by their hash, and the audit log, which refers to no other table: it outlives what it names. Keys of
 * before read everything from every address and do not expire. Nodes of an earlier version go on beside this one, and take a new key for
 * one without limits. [OPER-11, AUD-1, AUTH-9, AUTH-10, AUTH-11]
 */
export const operators = `
CREATE TABLE lead_signals.access_token (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  start text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  scopes text COLLATE "C" NOT NULL,
  brand_ids text COLLATE "C",
  created_at bigint NOT NULL,
  expires_at bigint,
  last_used_at bigint,
  revoked_at bigint
);
CREATE UNIQUE INDEX access_token_by_hash ON lead_signals.access_token (hash);
CREATE TABLE lead_signals.audit_entry (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  actor_type text COLLATE "C" NOT NULL,
  actor_id bigint,
  via_session boolean NOT NULL,
  operation text COLLATE "C" NOT NULL,
  brand_id bigint,
  subject_id text COLLATE "C",
  status integer
);
CREATE INDEX audit_entry_by_time ON lead_signals.audit_entry (at, id);
CREATE INDEX audit_entry_by_brand ON lead_signals.audit_entry (brand_id, at, id);
ALTER TABLE lead_signals.api_key ADD COLUMN expires_at bigint;
ALTER TABLE lead_signals.api_key ADD COLUMN scopes text COLLATE "C" NOT NULL DEFAULT '["leads","metrics"]';
ALTER TABLE lead_signals.api_key ADD COLUMN allowed_addresses text COLLATE "C"`
