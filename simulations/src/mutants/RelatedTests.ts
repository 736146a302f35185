/** The test files that judge mutants, those first that have most to do with the mutated module. */
import { existsSync, readFileSync } from "node:fs"
import { basename, join, posix, relative, sep } from "node:path"
import type { Mutant, MutatedPackage } from "./Mutant.ts"
import { filesBelow } from "./SourceFiles.ts"

/**
 * Folders and files of `test` that judge nothing here: the simulator's own tests, and those of documents, builds, scripts
 * and examples.
 */
const omitted =
  /^(?:architecture|bench|browser|console|packed|simulations|simulation-kernel|harness)\/|^embedded\/examples|^server\/(?:readme|rootScripts|fromSource|oneFile)\./

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
const testFiles = (folder: string): ReadonlyArray<string> =>
  filesBelow(folder)
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => relative(folder, path).replaceAll(sep, "/"))
    .filter((path) => !omitted.test(path))
    .sort()

/** Whether the file starts the built server, itself or by a module of the tests that it imports. */
export const startsServer = (folder: string, path: string, seen = new Set<string>()): boolean => {
  if (seen.has(path)) return false
  seen.add(path)
  if (path === "harness/BundledServer.ts") return true
  // A text within a test can look like an import.
  if (!existsSync(join(folder, path))) return false
  const text = readFileSync(join(folder, path), "utf8")
  return [...text.matchAll(/from "(\.{1,2}\/[^"]+\.ts)"/g)].some(([, imported]) => {
    const target = posix.join(posix.dirname(path), imported!)
    // What lies outside of the tests is a script or a package.
    return !target.startsWith("..") && startsServer(folder, target, seen)
  })
}

/** Ids of clauses in square brackets, as comments and titles cite them. */
const clausesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\[((?:[A-Z]+-\d+(?:, )?)+)\]/g)].flatMap(([, ids]) => ids!.split(", "))

/** In small letters and the singular, so that `leads` and `Lead` are one. */
const wordsOf = (name: string): ReadonlyArray<string> =>
  (name.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []).map((word) => word.toLowerCase().replace(/s$/, ""))

/** What is looked for in a file of tests. */
interface TestTraces {
  readonly path: string
  readonly length: number
  /** Its identifiers and words, and those of its name. */
  readonly words: ReadonlySet<string>
  readonly nameWords: ReadonlyArray<string>
  readonly clauses: ReadonlyArray<string>
}

const identifiersIn = (text: string): ReadonlyArray<string> => text.match(/[A-Za-z_]\w+/g) ?? []

const tracesOfTest = (folder: string, path: string): TestTraces => {
  const text = readFileSync(join(folder, path), "utf8")
  const name = basename(path, ".test.ts")
  return {
    path,
    length: text.length,
    words: new Set([...identifiersIn(text), name[0]!.toUpperCase() + name.slice(1)]),
    nameWords: wordsOf(name),
    clauses: clausesIn(text)
  }
}

/** Reads the files, once for all mutants. */
export const tracesOfTests = (folder: string): ReadonlyArray<TestTraces> =>
  testFiles(folder).map((path) => tracesOfTest(folder, path))

/**
 * The files in the order in which they are run. First those that have most in common with the mutant: the folder of its package, clauses
 * that the code cites and their titles prove, and the names of its module, of what that exports, and of its function. Of equals the
 * shorter file is first. `text` is that of the module.
 */
export const nearestFirst = (
  { file, from, id, package: packageName }: Pick<Mutant, "file" | "from" | "id" | "package">,
  text: string,
  tests: ReadonlyArray<TestTraces>
): ReadonlyArray<string> => {
  const module = basename(file, ".ts")
  const moduleWords = new Set(wordsOf(module))
  const exported = [...text.matchAll(/^export (?:const|function\*?|class) (\w+)/gm)].map(([, name]) => name!)
  // Shorter names, such as `make` or `read`, are everywhere.
  const functions = id
    .split(":")[1]!
    .split(".")
    .filter((name) => name.length > 6)
  const clauses = new Set(clausesIn(text))
  // Those of the comment before it.
  const nearClauses = new Set(clausesIn(text.slice(text.lastIndexOf("/**", from), from)))
  const nearness = (test: TestTraces): number => {
    const signs: ReadonlyArray<readonly [boolean, number]> = [
      [nearest[packageName].some((near) => test.path.startsWith(`${near}/`)), 4],
      [test.clauses.some((clause) => nearClauses.has(clause)), 4],
      [test.clauses.some((clause) => clauses.has(clause)), 2],
      [test.words.has(module), 3],
      [test.nameWords.some((word) => moduleWords.has(word)), 3],
      [exported.some((name) => test.words.has(name)), 2],
      [functions.some((name) => test.words.has(name)), 2]
    ]
    return signs.reduce((sum, [isThere, weight]) => (isThere ? sum + weight : sum), 0)
  }
  return tests
    .map((test) => ({ ...test, nearness: nearness(test) }))
    .sort((a, b) => b.nearness - a.nearness || a.length - b.length)
    .map(({ path }) => path)
}
