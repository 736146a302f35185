/** Indexes by time, from which figures over time are counted without a look at the rows. */
export const activityIndexes: Readonly<Record<string, string>> = {
  engagement_by_time: `CREATE INDEX CONCURRENTLY engagement_by_time
    ON lead_signals.engagement (brand_id, tracked_at) INCLUDE (signal_id, type)`,
  delivery_finished_by_webhook: `CREATE INDEX CONCURRENTLY delivery_finished_by_webhook
    ON lead_signals.delivery (webhook_id, finished_at) INCLUDE (state) WHERE finished_at IS NOT NULL`
}
