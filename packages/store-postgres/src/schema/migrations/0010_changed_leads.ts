/** What the feed of changes tells beside events, and the history that its positions count in. [CHG-1, CHG-5] */
export const changedLeads = `
CREATE TABLE lead_signals.changed_lead (
  brand_id bigint NOT NULL,
  lead_id bigint NOT NULL,
  position bigint NOT NULL,
  removed_at bigint,
  PRIMARY KEY (brand_id, lead_id)
);
CREATE INDEX changed_lead_by_position ON lead_signals.changed_lead (brand_id, position);
CREATE INDEX changed_lead_removed ON lead_signals.changed_lead (brand_id, removed_at) WHERE removed_at IS NOT NULL;
ALTER TABLE lead_signals.brand ADD COLUMN change_epoch text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE lead_signals.brand ADD COLUMN changes_forgotten bigint NOT NULL DEFAULT 0`
