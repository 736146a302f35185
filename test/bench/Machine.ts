/** What the figures were measured on: no names, no paths, no dates. */
import Database from "better-sqlite3"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { cpus, totalmem } from "node:os"
import { dirname, join } from "node:path"

const require = createRequire(import.meta.url)

const versionOf = (name: string): string => {
  let folder = dirname(require.resolve(name))
  while (true) {
    try {
      const json = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
      if (json.name === name) return json.version as string
    } catch {
      // Not yet the package's own folder.
    }
    if (dirname(folder) === folder) return "unknown"
    folder = dirname(folder)
  }
}

const sqliteVersion = (): string => {
  const db = new Database(":memory:")
  const version = db.prepare("SELECT sqlite_version() AS version").pluck().get() as string
  db.close()
  return version
}

export const machine = (): ReadonlyArray<string> => [
  `Machine: ${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
  `Node ${process.versions.node}, SQLite ${sqliteVersion()} by better-sqlite3 ${versionOf("better-sqlite3")}`,
  `Fastify ${versionOf("fastify")}, undici ${versionOf("undici")}, autocannon ${versionOf("autocannon")}`
]
