/** Looks at a copy before it gets its name: whether SQLite can read it, and whether it is one of ours. [STORE-8] */
import type { Connection } from "./Connection.ts"
import { DatabaseProblem } from "./DatabaseProblem.ts"

/** Rows of a copy that was opened. */
export interface CopyCounts {
  /** Brands, deleted ones included, of which a row stays. */
  readonly brands: number
  /** Leads of all brands. */
  readonly leads: number
  /** Engagements of all leads. */
  readonly engagements: number
}

/** The schema version of a file of Lead Signals. Throws a `DatabaseProblem` for any other. `value` runs a query of one value. */
export const schemaVersion = (value: (text: string) => unknown, filename: string): number => {
  const isOurs = value(
    "SELECT count(*) = 2 FROM sqlite_schema WHERE type = 'table' AND name IN ('migration', 'lead')"
  )
  const version = isOurs === 1 ? value("SELECT max(migration_id) FROM migration") : null
  if (typeof version !== "number") throw new DatabaseProblem(`${filename} is not a database of Lead Signals`)
  return version
}

/** Reads every page, and counts. Throws a `DatabaseProblem` with the first problem of a damaged copy. */
export const verifyCopy = (sql: Connection, filename: string): CopyCounts => {
  const [problem] = sql.column<string>("PRAGMA quick_check(1)")
  if (problem !== "ok") throw new DatabaseProblem(`the copy is damaged: ${problem}`)
  schemaVersion((text) => sql.value(text), filename)
  const count = (table: string): number => sql.value<number>(`SELECT count(*) FROM ${table}`)!
  return { brands: count("brand"), leads: count("lead"), engagements: count("engagement") }
}
