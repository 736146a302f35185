/**
 * The leads of each combination of flags are found in the order in which they were created, however few or many they are. It also
 * made shorter stretches, which step 12 makes again.
 */
export const shorterWays: ReadonlyArray<string> = [
  "DROP INDEX lead_by_flags",
  "CREATE INDEX lead_by_flags ON lead (brand_id, flags, created_at, id)"
]
