/** docs/postgres.md states the schema: every table, column and index of a database is there, and nothing else is. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { openNodes } from "./Nodes.ts"

const page = readFileSync(fileURLToPath(new URL("../../docs/postgres.md", import.meta.url)), "utf8")

const sections = new Map(
  page
    .slice(page.indexOf("## Tables"))
    .split(/^#### /m)
    .slice(1)
    .map((section) => [/^`(\w+)`$/m.exec(section)![1]!, section.split(/^### /m)[0]!] as const)
)

/** The rows of the table whose first heading this is. */
const rowsUnder = (heading: string, text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = new RegExp(`^\\| ${heading} .*\\n(?:\\|.*\\n)*`, "m").exec(text)![0].trimEnd().split("\n")
  return lines.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim())
  )
}

interface ColumnRow {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly required: boolean
}

interface IndexRow {
  readonly table: string
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly keys: number
  readonly primary: boolean
  readonly unique: boolean
  readonly partial: boolean
  readonly method: string
}

const listed = (columns: ReadonlyArray<string>): string => columns.map((name) => `\`${name}\``).join(", ")

/** As the page writes it. */
const indexRow = ({ columns, keys, method, name, partial, primary, unique }: IndexRow) => {
  const more = keys < columns.length ? ` with ${listed(columns.slice(keys))}` : ""
  const kinds = [unique && !primary && "unique", partial && "partial", method === "gin" && "GIN"].filter(
    Boolean
  )
  const kind = kinds.length === 0 ? "" : ` (${kinds.join(", ")})`
  return [primary ? "PRIMARY KEY" : `\`${name}\``, `${listed(columns.slice(0, keys))}${more}${kind}`]
}

describe.skipIf(isWithoutPostgres)("docs/postgres.md", () => {
  let opened: Awaited<ReturnType<typeof openNodes>>
  beforeAll(async () => {
    opened = await openNodes(1)
  })
  afterAll(() => opened.close())

  it("names as personal or secret no text of which the server keeps statistics, but what no erasure reaches [PII-3, PII-4]", async () => {
    // What operators enter, and hashes that say nothing.
    const kept = new Set([
      "access_token.name",
      "access_token.hash",
      "api_key.hash",
      "reading.post_id",
      "signal.source"
    ])
    const named = [...sections].flatMap(([table, section]) =>
      rowsUnder("column", section).flatMap(([name, type, , personal]) =>
        type!.startsWith("text") && ["yes", "secret"].includes(personal!)
          ? `${table}.${name!.replaceAll("`", "")}`
          : []
      )
    )
    const without = await opened.rows<{ readonly name: string }>(
      `SELECT concat(c.relname, '.', a.attname) AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       WHERE c.relnamespace = '${opened.schema}'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND a.attstattarget = 0`
    )
    expect(without.map(({ name }) => name).sort()).toEqual(named.filter((name) => !kept.has(name)).sort())
  })

  it("has each table with its columns and their types, in order, and says of each what it means", async () => {
    const columns = await opened.rows<ColumnRow>(
      `SELECT c.relname AS table, a.attname AS name, replace(format_type(a.atttypid, a.atttypmod), 'timestamp with time zone', 'timestamptz') AS type,
         a.attnotnull AS required FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       WHERE c.relnamespace = '${opened.schema}'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
       ORDER BY c.relname, a.attnum`
    )
    expect([...sections.keys()].sort()).toEqual([...new Set(columns.map(({ table }) => table))].sort())
    for (const [table, section] of sections) {
      const rows = rowsUnder("column", section)
      expect([table, rows.map(([name, type]) => [name, type])]).toEqual([
        table,
        columns
          .filter((column) => column.table === table)
          .map(({ name, required, type }) => [`\`${name}\``, required ? type : `${type} or null`])
      ])
      for (const row of rows) {
        const [, , meaning, personal, writers] = row
        expect([row.length, meaning !== "", writers !== ""]).toEqual([5, true, true])
        expect(["yes", "link", "hash", "secret", "no"]).toContain(personal)
      }
    }
  })

  it("has each index with its columns and its reason", async () => {
    const indexes = await opened.rows<IndexRow>(
      `SELECT t.relname AS table, i.relname AS name, x.indisprimary AS primary, x.indisunique AS unique, x.indpred IS NOT NULL AS partial,
         x.indnkeyatts AS keys, m.amname AS method,
         (SELECT json_agg(a.attname ORDER BY k.place) FROM unnest(x.indkey) WITH ORDINALITY k(number, place)
            JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number) AS columns
       FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid JOIN pg_am m ON m.oid = i.relam
       WHERE t.relnamespace = '${opened.schema}'::regnamespace`
    )
    for (const [table, section] of sections) {
      const rows = rowsUnder("index", section)
      expect([table, rows.map(([name, columns]) => [name, columns]).sort()]).toEqual([
        table,
        indexes
          .filter((index) => index.table === table)
          .map(indexRow)
          .sort()
      ])
      expect(rows.filter(([, , why]) => why === "")).toEqual([])
    }
  })
})
