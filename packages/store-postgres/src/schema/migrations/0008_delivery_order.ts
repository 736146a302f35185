/** The deliveries of ordered webhooks by lead, built while others write: a step's indexes come before its statements. */
export const deliveryOrderIndexes = {
  delivery_in_order:
    "CREATE INDEX CONCURRENTLY delivery_in_order ON lead_signals.delivery (webhook_id, ordered_lead, seq) WHERE ordered_lead IS NOT NULL"
}
