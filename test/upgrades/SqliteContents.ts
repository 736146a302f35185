/** What a SQLite file holds, in a form in which two files that were brought to one version are equal. */
import { raw } from "../harness/RawFile.ts"

/**
 * What depends on the run, by table: persons who were erased before version 16 count as erased at that moment, a killed process may have
 * begun to merge segments, and a file gets a name when its journal of removals begins.
 */
const ofTheRun: Readonly<Record<string, Readonly<Record<string, null>>>> = {
  suppression: { erased_at: null },
  segment_merge: { owner: null, is_under_way: null },
  removal_journal: { database_id: null, began_at: null }
}

/** SQLite keeps statements as they were written, and quotes a table that was renamed. */
const normalized = (sql: string): string =>
  sql
    .replaceAll('"', "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([(),;]) ?/g, "$1")

interface SchemaRow {
  readonly type: string
  readonly name: string
  readonly sql: string | null
}

const schemaRows = (filename: string): ReadonlyArray<SchemaRow> =>
  raw(filename, (db) =>
    db.prepare("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name").all()
  ) as ReadonlyArray<SchemaRow>

/** Tables, indexes and triggers, by name. */
export const schemaOf = (filename: string): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    schemaRows(filename).map(({ name, sql }) => [name, sql === null ? null : normalized(sql)])
  )

/** All rows by table, but those of `migration`. */
export const rowsOf = (filename: string): Readonly<Record<string, unknown>> =>
  raw(filename, (db) =>
    Object.fromEntries(
      schemaRows(filename)
        .filter(({ name, type }) => type === "table" && name !== "migration")
        .map(({ name }) => {
          const rows = db.prepare(`SELECT * FROM "${name}"`).all() as Array<Record<string, unknown>>
          return [name, rows.map((row) => ({ ...row, ...ofTheRun[name] }))]
        })
    )
  )
