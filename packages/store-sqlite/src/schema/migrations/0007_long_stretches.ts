/**
 * Stretches that have grown long are found by an index of those alone: one of all their lengths was written anew with each
 * count of each lead, for the sake of one in some thousand that is cut.
 */
export const longStretches: ReadonlyArray<string> = [
  "DROP INDEX lead_stretch_by_length",
  "CREATE INDEX lead_stretch_long ON lead_stretch (seq) WHERE n0 + n1 + n2 + n3 + n4 + n5 + n6 + n7 > 1536"
]
