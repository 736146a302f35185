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

/** The processors' time since the machine began: all of it, and what its host gave to others. Null where the platform does not report it. */
const processorTime = (): { readonly all: number; readonly stolen: number } | null => {
  try {
    const [first] = readFileSync("/proc/stat", "utf8").split("\n")
    const times = first!.trim().split(/ +/).slice(1, 9).map(Number)
    return { all: times.reduce((sum, each) => sum + each, 0), stolen: times[7]! }
  } catch {
    return null
  }
}

/**
 * Begins to watch how much of the processors' time a host gives to others: where that is much, the longest of anything
 * says more of them than of what was measured.
 */
export const watchStolenTime = (): (() => ReadonlyArray<string>) => {
  const before = processorTime()
  return () => {
    const after = processorTime()
    if (before === null || after === null || after.all === before.all) return []
    const share = (after.stolen - before.stolen) / (after.all - before.all)
    return [`The host gave ${Math.round(share * 100)} % of the processors' time to others meanwhile`]
  }
}

/** Lines for a report that is published. */
export const machine = (): ReadonlyArray<string> => [
  `Machine: ${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
  `Node ${process.versions.node}, SQLite ${sqliteVersion()} by better-sqlite3 ${versionOf("better-sqlite3")}`,
  `Fastify ${versionOf("fastify")}, undici ${versionOf("undici")}, autocannon ${versionOf("autocannon")}`
]
