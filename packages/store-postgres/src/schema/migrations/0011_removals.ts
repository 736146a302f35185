/**
 * What was erased, revoked and deleted, as rows that triggers write in the commit that removes, also for nodes of earlier versions. The function
 * finds its table by the schema of the table that it was called for, because a schema can get another name. A restore that replays removals
 * records them itself, once all are done. [REST-1]
 */
export const removals = `
CREATE TABLE lead_signals.removal (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  position bigint,
  at bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  brand_id bigint,
  subject text COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX removal_by_position ON lead_signals.removal (position) WHERE position IS NOT NULL;
CREATE INDEX removal_unnumbered ON lead_signals.removal (id) WHERE position IS NULL;
CREATE TABLE lead_signals.removal_journal (
  id integer PRIMARY KEY CHECK (id = 1),
  database_id text COLLATE "C" NOT NULL,
  began_at bigint NOT NULL,
  dropped bigint NOT NULL
);
INSERT INTO lead_signals.removal_journal VALUES (1, '', 0, 0);
CREATE FUNCTION lead_signals.record_removal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  removed jsonb := CASE TG_OP WHEN 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END;
BEGIN
  IF current_setting('lead_signals_restore.replays', true) = 'on' THEN
    RETURN NULL;
  END IF;
  EXECUTE format('INSERT INTO %I.removal (at, kind, brand_id, subject) VALUES ($1, $2, $3, $4)', TG_TABLE_SCHEMA) USING
    coalesce((removed ->> TG_ARGV[1])::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint),
    TG_ARGV[0],
    (removed ->> CASE TG_ARGV[0] WHEN 'brand' THEN 'id' ELSE 'brand_id' END)::bigint,
    coalesce(removed ->> 'hash', (removed ->> 'id') || ':' || (removed ->> 'created_at'));
  RETURN NULL;
END $$;
CREATE TRIGGER removal_of_person AFTER INSERT ON lead_signals.suppression
  FOR EACH ROW EXECUTE FUNCTION lead_signals.record_removal('person', 'erased_at');
CREATE TRIGGER removal_of_key AFTER UPDATE OF revoked_at ON lead_signals.api_key
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
  EXECUTE FUNCTION lead_signals.record_removal('key', 'revoked_at');
CREATE TRIGGER removal_of_token AFTER UPDATE OF revoked_at ON lead_signals.access_token
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
  EXECUTE FUNCTION lead_signals.record_removal('token', 'revoked_at');
CREATE TRIGGER removal_of_signal AFTER UPDATE OF deleted_at ON lead_signals.signal
  FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
  EXECUTE FUNCTION lead_signals.record_removal('signal', 'deleted_at');
CREATE TRIGGER removal_of_campaign AFTER UPDATE OF deleted_at ON lead_signals.campaign
  FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
  EXECUTE FUNCTION lead_signals.record_removal('campaign', 'deleted_at');
CREATE TRIGGER removal_of_webhook AFTER DELETE ON lead_signals.webhook
  FOR EACH ROW EXECUTE FUNCTION lead_signals.record_removal('webhook', '');
CREATE TRIGGER removal_of_brand AFTER UPDATE OF deletion_started_at ON lead_signals.brand
  FOR EACH ROW WHEN (OLD.deletion_started_at IS NULL AND NEW.deletion_started_at IS NOT NULL)
  EXECUTE FUNCTION lead_signals.record_removal('brand', 'deletion_started_at')`
