/** Rows into Postgres by COPY, which psql sends: the driver has no COPY of its own. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import type { Progress, Row } from "../BulkLoad.ts"

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const field = (value: Row[number]): string =>
  value === null ? "\\N" : String(value).replace(/[\\\n\r\t]/g, (character) => escapes[character]!)

const charactersAtOnce = 1 << 20

/** Copies the rows into columns of a table. */
export const copyIn = async (
  url: string,
  table: string,
  columns: ReadonlyArray<string>,
  rows: Iterable<Row>,
  { say }: Progress
): Promise<void> => {
  const quoted = columns.map((column) => `"${column}"`).join(", ")
  const psql = spawn(
    "psql",
    ["-q", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", `COPY ${table} (${quoted}) FROM STDIN`],
    {
      stdio: ["pipe", "ignore", "pipe"]
    }
  )
  let err = ""
  psql.stderr.on("data", (chunk) => (err += chunk))
  const ended = once(psql, "close") as Promise<[number]>
  let [text, count] = ["", 0]
  const send = async (): Promise<void> => {
    if (!psql.stdin.write(text)) await Promise.race([once(psql.stdin, "drain"), ended])
    text = ""
    say(`${table}: ${count.toLocaleString("en")} rows`)
  }
  psql.stdin.on("error", () => {})
  for (const row of rows) {
    text += `${row.map(field).join("\t")}\n`
    count++
    if (text.length >= charactersAtOnce) await send()
  }
  await send()
  psql.stdin.end()
  const [code] = await ended
  if (code !== 0) throw new Error(`COPY ${table}: ${err}`)
}
