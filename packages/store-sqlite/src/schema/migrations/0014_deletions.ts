/**
 * When brands, signals and campaigns were deleted. The rows of signals and brands stay, as numbers that are never given again:
 * to remove one, SQLite would look through all engagements and events for what refers to it. [DEL-1, DEL-2]
 */
export const deletions: ReadonlyArray<string> = [
  "ALTER TABLE brand ADD COLUMN deletion_started_at INTEGER",
  "ALTER TABLE brand ADD COLUMN deleted_at INTEGER",
  "ALTER TABLE signal ADD COLUMN deleted_at INTEGER",
  "ALTER TABLE campaign ADD COLUMN deleted_at INTEGER"
]
