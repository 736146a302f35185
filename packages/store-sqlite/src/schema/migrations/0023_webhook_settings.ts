/**
 * The order, form and batches of a webhook's posts. A delivery of an ordered webhook names the lead among whose deliveries it keeps its
 * place, and when its failures began.
 */
export const webhookSettings: ReadonlyArray<string> = [
  "ALTER TABLE webhook ADD COLUMN ordering TEXT NOT NULL DEFAULT 'none' CHECK (ordering IN ('none', 'lead'))",
  "ALTER TABLE webhook ADD COLUMN max_delay INTEGER",
  "ALTER TABLE webhook ADD COLUMN format TEXT NOT NULL DEFAULT 'envelope' CHECK (format IN ('envelope', 'cloudevents'))",
  "ALTER TABLE webhook ADD COLUMN max_batch INTEGER NOT NULL DEFAULT 1",
  "ALTER TABLE webhook ADD COLUMN max_wait INTEGER NOT NULL DEFAULT 0",
  "ALTER TABLE delivery ADD COLUMN failing_since INTEGER",
  "ALTER TABLE delivery ADD COLUMN ordered_lead INTEGER",
  "CREATE INDEX delivery_in_order ON delivery (webhook_id, ordered_lead, seq) WHERE ordered_lead IS NOT NULL"
]
