/**
 * Rows into a SQLite file as fast as it takes them: no syncs, no journal, large transactions. The indexes and triggers
 * that are there are dropped, and created again from their own SQL when all rows are in.
 */
import Database from "better-sqlite3"

/** The values of one row, in the order of the columns that `insertAll` is given. */
export type Row = ReadonlyArray<string | number | null>

/** A table that is small enough to be held at once: what a file has besides leads and engagements. */
export interface SmallTable {
  readonly table: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
}

/** Hears a line now and then. */
export interface Progress {
  readonly say: (text: string) => void
}

const rowsPerTransaction = 200_000

interface SchemaRow {
  readonly type: "index" | "trigger"
  readonly name: string
  readonly sql: string
}

/** A file without journal and syncs: a process that is killed leaves it unusable. */
export const openForLoad = (filename: string): Database.Database => {
  const db = new Database(filename)
  db.pragma("journal_mode = OFF")
  db.pragma("synchronous = OFF")
  db.pragma("locking_mode = EXCLUSIVE")
  db.pragma("cache_size = -400000")
  db.pragma("foreign_keys = OFF")
  db.pragma("temp_store = MEMORY")
  return db
}

/** Answers what puts them back. */
export const dropIndexes = (db: Database.Database, { say }: Progress): (() => void) => {
  const secondary = db
    .prepare<[], SchemaRow>(
      "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL"
    )
    .all()
  for (const { name, type } of secondary) db.exec(`DROP ${type.toUpperCase()} "${name}"`)
  return () => {
    for (const { name, sql, type } of secondary) {
      if (type === "index") say(`index ${name}`)
      db.exec(sql)
    }
  }
}

/** Inserts in large transactions. Throws at the first row that the table refuses. */
export const insertAll = (
  db: Database.Database,
  table: string,
  columns: ReadonlyArray<string>,
  rows: Iterable<Row>,
  { say }: Progress
): void => {
  const places = columns.map(() => "?").join(", ")
  const insert = db.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`)
  db.exec("BEGIN")
  let count = 0
  for (const row of rows) {
    insert.run(...row)
    if (++count % rowsPerTransaction === 0) {
      db.exec("COMMIT; BEGIN")
      say(`${table} ${count.toLocaleString("en")}`)
    }
  }
  db.exec("COMMIT")
}

/** As a server finds it: in WAL mode, all of it in the file. */
export const closeLoaded = (db: Database.Database): void => {
  db.pragma("locking_mode = NORMAL")
  db.pragma("journal_mode = WAL")
  db.close()
}
