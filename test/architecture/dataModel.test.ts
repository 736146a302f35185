/** docs/data-model.md states the schema: every table, column, index and trigger is there, and nothing else is. */
import Database from "better-sqlite3"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"

const textOf = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8")

const page = textOf("docs/data-model.md")

const db = new Database(":memory:")
db.exec(textOf("packages/store-sqlite/src/schema/schema.sql"))
afterAll(() => void db.close())

const namesOf = (type: "table" | "trigger"): ReadonlyArray<string> =>
  db
    .prepare("SELECT name FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .pluck()
    .all(type) as ReadonlyArray<string>

/** FTS5 keeps an index in tables that begin with the index's name. */
const tables = namesOf("table").filter((name) => !/^lead_(?:text|gram)_/.test(name))

const isVirtual = (table: string): boolean =>
  db.prepare("SELECT sql LIKE 'CREATE VIRTUAL%' FROM sqlite_schema WHERE name = ?").pluck().get(table) === 1

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: 0 | 1
  readonly pk: number
  readonly hidden: number
}

interface Index {
  readonly name: string
  readonly origin: "c" | "u" | "pk"
  readonly partial: 0 | 1
}

/** Name and type, as the page writes them. */
const columnsOf = (table: string): ReadonlyArray<readonly [name: string, type: string]> =>
  (db.pragma(`table_xinfo(${table})`) as ReadonlyArray<Column>)
    .filter(({ hidden }) => hidden === 0)
    .map(({ name, notnull, pk, type }) => [
      `\`${name}\``,
      isVirtual(table) ? "tokens" : `${type}${notnull === 1 || pk > 0 ? "" : " or null"}`
    ])

/** Name and columns, as the page writes them. */
const indexesOf = (table: string): ReadonlyArray<readonly [name: string, columns: string]> =>
  (db.pragma(`index_list(${table})`) as ReadonlyArray<Index>).map(({ name, origin, partial }) => {
    const columns = (db.pragma(`index_info(${name})`) as ReadonlyArray<{ readonly name: string }>)
      .map((column) => `\`${column.name}\``)
      .join(", ")
    return [
      { c: `\`${name}\``, u: "UNIQUE", pk: "PRIMARY KEY" }[origin],
      partial === 1 ? `${columns} (partial)` : columns
    ]
  })

/** The rows of the table whose first heading this is; none where the text has no such table. */
const rowsUnder = (heading: string, text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, ...lines] =
    new RegExp(`^\\| ${heading} .*\\n(?:\\|.*\\n)*`, "m").exec(text)?.[0].trimEnd().split("\n") ?? []
  return lines.slice(1).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim())
  )
}

const sections = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((section) => [/^`(\w+)`$/m.exec(section)?.[1] ?? section, section.split(/^## /m)[0]!] as const)
)

const sorted = <A>(rows: ReadonlyArray<A>): ReadonlyArray<A> =>
  rows
    .map((row) => [JSON.stringify(row), row] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row]) => row)

describe("docs/data-model.md", () => {
  it("has a section for each table of the schema, and no other", () => {
    expect([...sections.keys()].sort()).toEqual([...tables].sort())
  })

  it.each(tables)("has each column with its type, in order: %s", (table) => {
    const rows = rowsUnder("column", sections.get(table)!)
    expect(rows.map(([name, type]) => [name, type])).toEqual(columnsOf(table))
  })

  it.each(tables)(
    "says of each column what it means, whether it is personal and who writes it: %s",
    (table) => {
      for (const row of rowsUnder("column", sections.get(table)!)) {
        const [, , meaning, personal, writers] = row
        expect([row.length, meaning !== "", writers !== ""]).toEqual([5, true, true])
        expect(["yes", "link", "hash", "secret", "no"]).toContain(personal)
      }
    }
  )

  it.each(tables)("has each index with its columns and its reason: %s", (table) => {
    const rows = rowsUnder("index", sections.get(table)!)
    expect(sorted(rows.map(([name, columns]) => [name, columns]))).toEqual(sorted(indexesOf(table)))
    expect(rows.filter(([, , why]) => why === "")).toEqual([])
  })

  it("has each trigger, and no other", () => {
    const rows = rowsUnder("trigger", page.slice(page.indexOf("## Triggers")))
    expect(sorted(rows.map(([name]) => name))).toEqual(
      sorted(namesOf("trigger").map((name) => `\`${name}\``))
    )
  })

  it("draws each foreign key as a solid line, and nothing else", () => {
    const drawn = Array.from(page.matchAll(/^ {2}(\w+) \S+--\S+ (\w+) :/gm), ([, to, from]) => [from, to])
    const keys = tables.flatMap((table) =>
      (db.pragma(`foreign_key_list(${table})`) as ReadonlyArray<{ readonly table: string }>).map((key) => [
        table,
        key.table
      ])
    )
    expect(sorted(drawn)).toEqual(sorted(keys))
  })
})
