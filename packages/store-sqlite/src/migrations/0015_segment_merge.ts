/**
 * One row: who merges the segments of the search indexes, and whether a merge is under way. A merge that an earlier version left
 * half done counts as one.
 */
import { type Asking, tellAll } from "../Asking.ts"

const statements = [
  `CREATE TABLE segment_merge (
     id INTEGER PRIMARY KEY CHECK (id = 1), owner INTEGER NOT NULL,
     is_under_way INTEGER NOT NULL CHECK (is_under_way IN (0, 1))) STRICT`,
  "INSERT INTO segment_merge VALUES (1, 0, 1)"
]

export const segmentMerge = (): Asking<void> => tellAll(statements)
