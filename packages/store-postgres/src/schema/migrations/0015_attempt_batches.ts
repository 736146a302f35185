/** The logged answers to batches, built while others write: an erasure finds by it those to a batch that the erased person was in. [PII-3] */
export const attemptBatchIndexes: Readonly<Record<string, string>> = {
  attempt_by_batch: `CREATE INDEX CONCURRENTLY attempt_by_batch ON lead_signals.attempt (brand_id, batch_id)
    WHERE batch_id IS NOT NULL AND (response IS NOT NULL OR sealed IS NOT NULL)`
}
