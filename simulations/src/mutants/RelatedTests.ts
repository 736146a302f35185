/** The test files that judge mutants, those first that have most to do with the mutated module. */
import { readdirSync, readFileSync } from "node:fs"
import { basename, join, relative, sep } from "node:path"
import type { MutatedPackage } from "./Mutant.ts"

/**
 * Folders and files of `test` that judge nothing here: the simulator's own tests, and those of documents, builds, scripts
 * and examples.
 */
const omitted =
  /^(?:architecture|bench|browser|packed|simulations|simulation-kernel|harness)\/|^embedded\/examples|^server\/(?:readme|rootScripts|fromSource|oneFile)\./

/** Folders of `test` whose files are run first for a package. */
const nearest: Readonly<Record<MutatedPackage, ReadonlyArray<string>>> = {
  domain: ["domain", "store-memory"],
  http: ["http"],
  webhook: ["webhook"],
  "store-memory": ["store-memory", "store-contract"],
  "store-sqlite": ["store-sqlite"],
  "sql-rows": ["store-sqlite", "store-postgres"],
  suggestions: ["command-line", "http"],
  client: ["client"]
}

/** Paths from the folder of tests. */
export const testFiles = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
    .filter((path) => !omitted.test(path) && !path.includes("node_modules/"))
    .sort()

/**
 * The files in the order in which they are run: first those of the package's folders that name the module, then those of
 * which one is true, and of equals the shorter file first.
 */
export const nearestFirst = (
  folder: string,
  { file, package: packageName }: { readonly file: string; readonly package: MutatedPackage },
  files: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const name = new RegExp(`\\b${basename(file, ".ts")}\\b`, "i")
  return files
    .map((path) => {
      const text = readFileSync(join(folder, path), "utf8")
      const isOfPackage = nearest[packageName].some((near) => path.startsWith(`${near}/`))
      const distance = (isOfPackage ? 0 : 1) + (name.test(text) || name.test(path) ? 0 : 1)
      return { path, distance, length: text.length }
    })
    .sort((a, b) => a.distance - b.distance || a.length - b.length)
    .map(({ path }) => path)
}
