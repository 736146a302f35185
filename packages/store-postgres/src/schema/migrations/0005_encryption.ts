/**
 * Places for what is sealed under the keys of persons, and the keys, wrapped under the encryption key. Nothing is sealed by this: a
 * database without an encryption key goes on as it is, beside nodes of an earlier version. [PII-4]
 */
export const encryption = `
ALTER TABLE lead_signals.lead ADD COLUMN sealed bytea;
ALTER TABLE lead_signals.engagement ADD COLUMN sealed bytea, ADD COLUMN post_sealed bytea;
ALTER TABLE lead_signals.delivery_body ADD COLUMN sealed bytea;
ALTER TABLE lead_signals.attempt ADD COLUMN sealed bytea;
CREATE TABLE lead_signals.person_key (
  brand_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  person text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  wrapped bytea NOT NULL,
  PRIMARY KEY (brand_id, id)
);
CREATE UNIQUE INDEX person_key_by_person ON lead_signals.person_key (brand_id, person);
CREATE TABLE lead_signals.encryption (
  id integer PRIMARY KEY CHECK (id = 1),
  key_id text COLLATE "C" NOT NULL,
  previous_key_id text COLLATE "C",
  is_complete boolean NOT NULL
)`
