/**
 * One row: who merges the segments of the search indexes, and whether a merge is under way. A merge that an earlier version left
 * half done counts as one.
 */
export const segmentMerge: ReadonlyArray<string> = [
  `CREATE TABLE segment_merge (
     id INTEGER PRIMARY KEY CHECK (id = 1), owner INTEGER NOT NULL,
     is_under_way INTEGER NOT NULL CHECK (is_under_way IN (0, 1))) STRICT`,
  "INSERT INTO segment_merge SELECT 1, 0, EXISTS (SELECT 1 FROM lead)"
]
