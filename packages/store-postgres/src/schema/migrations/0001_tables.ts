/** The tables of the first version. */
export const tables = `
CREATE TABLE lead_signals.brand (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  suppression_secret text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  deletion_started_at bigint,
  deleted_at bigint
);
CREATE TABLE lead_signals.api_key (
  brand_id bigint NOT NULL REFERENCES lead_signals.brand,
  id bigint GENERATED ALWAYS AS IDENTITY,
  label text COLLATE "C" NOT NULL,
  start text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  requests_per_minute integer NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint,
  revoked_at bigint,
  PRIMARY KEY (brand_id, id)
);
CREATE UNIQUE INDEX api_key_by_hash ON lead_signals.api_key (hash);
CREATE INDEX api_key_by_id ON lead_signals.api_key (id);
CREATE TABLE lead_signals.signal (
  brand_id bigint NOT NULL REFERENCES lead_signals.brand,
  id bigint GENERATED ALWAYS AS IDENTITY,
  name text COLLATE "C" NOT NULL,
  signal_type text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  deleted_at bigint,
  PRIMARY KEY (brand_id, id)
);
CREATE TABLE lead_signals.campaign (
  brand_id bigint NOT NULL REFERENCES lead_signals.brand,
  id bigint GENERATED ALWAYS AS IDENTITY,
  name text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  deleted_at bigint,
  PRIMARY KEY (brand_id, id)
);
CREATE TABLE lead_signals.reading (
  brand_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  post_id text COLLATE "C" NOT NULL,
  day text COLLATE "C" NOT NULL,
  impressions bigint NOT NULL,
  reactions bigint NOT NULL,
  comments bigint NOT NULL,
  reposts bigint NOT NULL,
  PRIMARY KEY (brand_id, campaign_id, post_id, day),
  FOREIGN KEY (brand_id, campaign_id) REFERENCES lead_signals.campaign
);
CREATE INDEX reading_by_day ON lead_signals.reading (brand_id, campaign_id, day);
CREATE TABLE lead_signals.lead (
  brand_id bigint NOT NULL REFERENCES lead_signals.brand,
  id bigint GENERATED ALWAYS AS IDENTITY,
  ext_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  headline text COLLATE "C",
  username text COLLATE "C",
  title1 text COLLATE "C",
  li_profile_url text COLLATE "C",
  profile_img_url text COLLATE "C",
  company text COLLATE "C",
  profile_times text COLLATE "C" NOT NULL,
  signal_id bigint NOT NULL,
  signal_ids text COLLATE "C" NOT NULL,
  flags smallint NOT NULL CHECK (flags BETWEEN 0 AND 7),
  score1 double precision,
  created_at bigint NOT NULL CHECK (created_at >= 0),
  updated_at bigint NOT NULL CHECK (updated_at >= created_at),
  shown text COLLATE "C" NOT NULL,
  PRIMARY KEY (brand_id, id)
);
CREATE UNIQUE INDEX lead_by_person ON lead_signals.lead (brand_id, ext_id);
CREATE INDEX lead_by_created ON lead_signals.lead (brand_id, created_at, id) INCLUDE (flags);
CREATE INDEX lead_by_updated ON lead_signals.lead (brand_id, updated_at, id) INCLUDE (flags);
CREATE INDEX lead_by_name ON lead_signals.lead (brand_id, name_key, id) INCLUDE (flags);
CREATE INDEX lead_by_score ON lead_signals.lead (brand_id, score1, id) INCLUDE (flags);
CREATE INDEX lead_by_score_desc ON lead_signals.lead (brand_id, score1 DESC NULLS LAST, id) INCLUDE (flags);
CREATE INDEX lead_by_flags ON lead_signals.lead (brand_id, flags, created_at, id);
CREATE TABLE lead_signals.lead_text (
  brand_id bigint NOT NULL,
  lead_id bigint NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  headline_key text COLLATE "C",
  grams integer[] NOT NULL,
  PRIMARY KEY (brand_id, lead_id)
);
CREATE INDEX lead_text_by_gram ON lead_signals.lead_text USING gin (grams);
CREATE TABLE lead_signals.lead_signal (
  brand_id bigint NOT NULL,
  signal_id bigint NOT NULL,
  created_at bigint NOT NULL,
  lead_id bigint NOT NULL,
  flags smallint NOT NULL,
  PRIMARY KEY (brand_id, signal_id, created_at, lead_id) INCLUDE (flags)
);
CREATE INDEX lead_signal_by_lead ON lead_signals.lead_signal (brand_id, lead_id, signal_id);
CREATE TABLE lead_signals.engagement (
  brand_id bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  lead_id bigint NOT NULL,
  signal_id bigint NOT NULL,
  type text COLLATE "C",
  reaction_type text COLLATE "C",
  comment_text text COLLATE "C",
  post_url text COLLATE "C",
  post_content text COLLATE "C",
  post_posted_at bigint,
  post_author text COLLATE "C",
  post_author_detail text COLLATE "C",
  author_ext_id text COLLATE "C",
  emitted_at bigint,
  tracked_at bigint NOT NULL,
  PRIMARY KEY (brand_id, id)
);
CREATE INDEX engagement_by_lead ON lead_signals.engagement (brand_id, lead_id, tracked_at, id);
CREATE INDEX engagement_by_author ON lead_signals.engagement (brand_id, author_ext_id) WHERE author_ext_id IS NOT NULL;
CREATE TABLE lead_signals.suppression (
  brand_id bigint NOT NULL,
  hash text COLLATE "C" NOT NULL,
  PRIMARY KEY (brand_id, hash)
);
CREATE TABLE lead_signals.event (
  brand_id bigint NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  event text COLLATE "C" NOT NULL,
  lead_id bigint NOT NULL,
  engagement_id text COLLATE "C" NOT NULL,
  is_first_activity boolean NOT NULL,
  occurred_at bigint NOT NULL,
  PRIMARY KEY (brand_id, position)
);
CREATE INDEX event_by_lead ON lead_signals.event (brand_id, lead_id, position);
CREATE TABLE lead_signals.webhook (
  brand_id bigint NOT NULL REFERENCES lead_signals.brand,
  id bigint GENERATED ALWAYS AS IDENTITY,
  url text COLLATE "C" NOT NULL,
  events text COLLATE "C" NOT NULL,
  description text COLLATE "C",
  enabled boolean NOT NULL,
  disabled_reason text COLLATE "C" CHECK ((disabled_reason IS NULL) = enabled),
  failing_since bigint,
  secrets text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (brand_id, id)
);
CREATE INDEX webhook_by_id ON lead_signals.webhook (id);
CREATE TABLE lead_signals.delivery (
  brand_id bigint NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" NOT NULL,
  webhook_id bigint NOT NULL,
  position bigint,
  state text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'delivered', 'dead')),
  attempts integer NOT NULL,
  failures integer NOT NULL,
  lease text COLLATE "C",
  due_at bigint,
  created_at bigint NOT NULL,
  finished_at bigint,
  resend_of text COLLATE "C",
  resent_as text COLLATE "C",
  PRIMARY KEY (brand_id, seq),
  CHECK ((state = 'pending') = (due_at IS NOT NULL)),
  CHECK ((state = 'pending') = (finished_at IS NULL))
);
CREATE UNIQUE INDEX delivery_by_id ON lead_signals.delivery (id);
CREATE INDEX delivery_due ON lead_signals.delivery (webhook_id, due_at, seq) WHERE state = 'pending';
CREATE INDEX delivery_leased ON lead_signals.delivery (webhook_id) WHERE lease IS NOT NULL;
CREATE INDEX delivery_by_webhook ON lead_signals.delivery (webhook_id, seq);
CREATE INDEX delivery_by_state ON lead_signals.delivery (webhook_id, state, seq);
CREATE INDEX delivery_dead ON lead_signals.delivery (webhook_id, finished_at, seq) WHERE state = 'dead' AND resent_as IS NULL;
CREATE INDEX delivery_by_event ON lead_signals.delivery (brand_id, position) WHERE position IS NOT NULL;
CREATE TABLE lead_signals.delivery_body (
  brand_id bigint NOT NULL,
  seq bigint NOT NULL,
  body text COLLATE "C" NOT NULL,
  PRIMARY KEY (brand_id, seq)
);
CREATE TABLE lead_signals.attempt (
  brand_id bigint NOT NULL,
  delivery_seq bigint NOT NULL,
  number integer NOT NULL,
  at bigint NOT NULL,
  duration_millis bigint NOT NULL,
  status integer,
  error text COLLATE "C",
  response text COLLATE "C",
  PRIMARY KEY (brand_id, delivery_seq, number),
  CHECK ((status IS NULL) <> (error IS NULL))
);
CREATE TABLE lead_signals.delivery_count (
  brand_id bigint NOT NULL,
  webhook_id bigint NOT NULL,
  state text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (brand_id, webhook_id, state)
) WITH (fillfactor = 50);
CREATE TABLE lead_signals.lead_count (
  brand_id bigint NOT NULL,
  signal_id bigint NOT NULL,
  flags smallint NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (brand_id, signal_id, flags)
) WITH (fillfactor = 50);
CREATE TABLE lead_signals.lead_bucket (
  brand_id bigint NOT NULL,
  ordering text COLLATE "C" NOT NULL CHECK (ordering IN ('created', 'updated', 'name', 'score', 'scoreDesc')),
  key text COLLATE "C" NOT NULL,
  id bigint NOT NULL,
  n0 integer NOT NULL DEFAULT 0,
  n1 integer NOT NULL DEFAULT 0,
  n2 integer NOT NULL DEFAULT 0,
  n3 integer NOT NULL DEFAULT 0,
  n4 integer NOT NULL DEFAULT 0,
  n5 integer NOT NULL DEFAULT 0,
  n6 integer NOT NULL DEFAULT 0,
  n7 integer NOT NULL DEFAULT 0,
  PRIMARY KEY (brand_id, ordering, key, id)
) WITH (fillfactor = 50);
CREATE TABLE lead_signals.brand_version (
  brand_id bigint PRIMARY KEY,
  n bigint NOT NULL
) WITH (fillfactor = 50);
CREATE UNLOGGED TABLE lead_signals.rate_window (
  key_id bigint PRIMARY KEY,
  started_at bigint NOT NULL,
  used integer NOT NULL
) WITH (fillfactor = 50);
`
