/** The queries that a function sends to a file, and what SQLite does for them. */
import { type Param, type QueryConnection } from "@lead-signals/store-sqlite/internal"
import Database from "better-sqlite3"

export interface Query {
  readonly text: string
  readonly params: ReadonlyArray<Param>
}

/** The lines of the plan of a query. */
export const planOf = (db: Database.Database, sql: Query): Array<string> =>
  db
    .prepare(`EXPLAIN QUERY PLAN ${sql.text}`)
    .all(...sql.params)
    .map((row) => (row as { detail: string }).detail)

/** What the function reads of the file, and by which queries. */
export const recorded = <A>(db: Database.Database, read: (sql: QueryConnection) => A) => {
  const queries: Array<Query> = []
  const prepare = (text: string, params: ReadonlyArray<Param> = []) => {
    queries.push({ text, params })
    return db.prepare<Array<unknown>>(text)
  }
  const sql: QueryConnection = {
    all: (text, params = []) => prepare(text, params).all(...params) as Array<any>,
    get: (text, params = []) => prepare(text, params).get(...params) as any,
    tuples: (text, params = []) =>
      prepare(text, params)
        .raw()
        .all(...params) as Array<any>,
    column: (text, params = []) =>
      prepare(text, params)
        .pluck()
        .all(...params) as Array<any>,
    value: (text, params = []) =>
      prepare(text, params)
        .pluck()
        .get(...params) as any,
    valuePerKey: (text, keys) => keys.map((key) => prepare(text, [key]).pluck().get(key) as any)
  }
  return { result: read(sql), queries }
}

/**
 * Reading a table or an index from end to end; a full-text table is always "scanned", by its own index, and a part of a
 * query as far as it goes.
 */
export const scans = (plan: ReadonlyArray<string>): Array<string> =>
  plan.filter(
    (line) =>
      line.startsWith("SCAN ") && !/VIRTUAL TABLE INDEX 0:[=<>]*M|CONSTANT ROW|^SCAN \(subquery/.test(line)
  )
