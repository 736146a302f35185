/** What is kept of Idempotency-Keys for a day. It refers to no other table: a brand's deletion leaves it. [IDEM-5] */
export const idempotency = `
CREATE TABLE lead_signals.idempotency_record (
  id text COLLATE "C" PRIMARY KEY,
  actor text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  holder text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  lease_until bigint NOT NULL,
  answer text COLLATE "C"
);
CREATE INDEX idempotency_record_by_time ON lead_signals.idempotency_record (created_at);
CREATE INDEX idempotency_record_by_actor ON lead_signals.idempotency_record (actor)`
