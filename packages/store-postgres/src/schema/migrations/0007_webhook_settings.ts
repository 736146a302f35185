/**
 * The order, form and batches of a webhook's posts. A delivery of an ordered webhook names the lead among whose deliveries it keeps its
 * place, and when its failures began. Older nodes write neither: a webhook is ordered once every node knows this.
 */
export const webhookSettings = `
ALTER TABLE lead_signals.webhook
  ADD COLUMN ordering text COLLATE "C" NOT NULL DEFAULT 'none' CHECK (ordering IN ('none', 'lead')),
  ADD COLUMN max_delay integer,
  ADD COLUMN format text COLLATE "C" NOT NULL DEFAULT 'envelope' CHECK (format IN ('envelope', 'cloudevents')),
  ADD COLUMN max_batch integer NOT NULL DEFAULT 1,
  ADD COLUMN max_wait integer NOT NULL DEFAULT 0;
ALTER TABLE lead_signals.delivery ADD COLUMN failing_since bigint, ADD COLUMN ordered_lead bigint`
