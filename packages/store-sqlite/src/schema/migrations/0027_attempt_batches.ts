/** The logged answers to batches: an erasure finds by it those to a batch that the erased person was in. [PII-3] */
export const attemptBatches: ReadonlyArray<string> = [
  "CREATE INDEX attempt_by_batch ON attempt (batch_id) WHERE batch_id IS NOT NULL AND response IS NOT NULL"
]
