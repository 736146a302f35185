/** What `copy` moves: every column of both stores that no store derives. A column that is missing there would be lost in silence. */
import { copySequences, copyTables } from "@lead-signals/domain"
import Database from "better-sqlite3"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"

const schemaOf = (store: string): string =>
  readFileSync(
    fileURLToPath(new URL(`../../packages/${store}/src/schema/schema.sql`, import.meta.url)),
    "utf8"
  )

const file = new Database(":memory:")
file.exec(schemaOf("store-sqlite"))
afterAll(() => void file.close())

/** Columns by table. */
type Columns = ReadonlyMap<string, ReadonlyArray<string>>

const ofSqlite: Columns = new Map(
  (file.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as Array<string>)
    .filter((table) => !/^(?:sqlite_|lead_(?:text|gram))/.test(table))
    .map((table) => [
      table,
      (file.pragma(`table_info(${table})`) as ReadonlyArray<{ readonly name: string }>).map(
        ({ name }) => name
      )
    ])
)

const ofPostgres: Columns = new Map(
  Array.from(
    schemaOf("store-postgres").matchAll(/^CREATE (?:UNLOGGED )?TABLE lead_signals\.(\w+) \(\n([^;]*?)\n\)/gm),
    ([, table, body]) => [table!, Array.from(body!.matchAll(/^ {2}([a-z]\w*) /gm), ([, name]) => name!)]
  )
)

/** What a store makes anew from the rest, or needs for itself. */
const derived: Readonly<Record<string, ReadonlyArray<string>>> = {
  // The copy begins a history of changes of its own.
  brand: ["change_epoch", "changes_forgotten"],
  lead: ["name_key", "score_missing", "score_rank", "score_rank_desc", "sealed", "shown"],
  // The number of a row in the file.
  engagement: ["post_sealed", "sealed", "seq"],
  delivery_body: ["sealed"],
  attempt: ["sealed"]
}
const derivedTables = new Set([
  "activity_hour",
  "brand_version",
  "changed_lead",
  "commits",
  "delivery_count",
  "delivery_hour",
  "encryption",
  "lead_bucket",
  "lead_change",
  "lead_count",
  "lead_day_count",
  "lead_signal",
  "lead_stretch",
  "lead_text",
  "migration",
  "person_key",
  "pruning",
  "rate_window",
  // The copy is another database than the source, with a history of its own.
  "removal",
  "removal_journal",
  "secret_wrapping",
  "segment_merge"
])

describe.each([
  ["SQLite", ofSqlite],
  ["Postgres", ofPostgres]
])("a copy of a store on %s", (_, tables) => {
  it("has every table that is not derived [STORE-10]", () => {
    const copied = copyTables.map(({ name }) => name)
    expect([...tables.keys()].filter((table) => !derivedTables.has(table)).sort()).toEqual(copied.sort())
  })

  it.each(copyTables)("has every column of $name that is not derived [STORE-10]", ({ columns, name }) => {
    const stored = tables.get(name)!.filter((column) => derived[name]?.includes(column) !== true)
    expect(stored.filter((column) => !columns.includes(column))).toEqual([])
    // SQLite finds the brand of some rows by the row that they refer to.
    expect(columns.filter((column) => !stored.includes(column) && column !== "brand_id")).toEqual([])
  })
})

describe("the tables of a copy", () => {
  it("have their keys, booleans and numbers among their columns [STORE-10]", () => {
    for (const { booleans, columns, key } of copyTables) {
      expect(columns).toEqual(expect.arrayContaining([...key, ...booleans]))
    }
    for (const [table, column] of Object.entries(copySequences)) {
      expect(copyTables.find(({ name }) => name === table)?.columns).toContain(column)
    }
  })
})
