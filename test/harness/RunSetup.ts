/**
 * Once for all tests: the server and its command line as one file, as it is built, which starts in a third of the time; a folder
 * for what `madeOnce` makes; and a folder for temporary files of all processes. Both folders are gone after the run, and so is the one of the
 * bundled packages.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import type { TestProject } from "vitest/node"
import { bundleServer } from "../../scripts/bundle.mjs"
import { bundledServer } from "./BundledServer.ts"
import { shortenedFiles } from "./Thoroughness.ts"

/** Says which files of a thorough run had no time for their long form. */
const tellShortened = (list: string): void => {
  if (!existsSync(list)) return
  const files = readFileSync(list, "utf8").trim().split("\n")
  process.stdout.write(
    `\nThe time for long tests was over: ${files.length} files ran in their short form.\n${files
      .map((file) => `  ${relative(process.cwd(), file)}\n`)
      .sort()
      .join("")}`
  )
}

declare module "vitest" {
  interface ProvidedContext {
    readonly runFolder: string
    readonly runPid: number
    /** Where the packages are bundled for this run; null where it loads their sources. */
    readonly packagesFolder: string | null
  }
}

export default async (project: TestProject): Promise<() => void> => {
  // The judge of mutants runs files that start no server, and would bundle one for each mutant.
  if (process.env["TESTS_WITHOUT_SERVER"] === "true") mkdirSync(dirname(bundledServer), { recursive: true })
  else await bundleServer(bundledServer, [], false)
  const folder = mkdtempSync(join(dirname(bundledServer), "run-"))
  project.provide("runFolder", folder)
  project.provide("runPid", process.pid)
  const temporary = mkdtempSync(join(tmpdir(), "lead-signals-run-"))
  // Postgres runs as another user than root.
  chmodSync(temporary, 0o755)
  for (const name of ["TMPDIR", "TEMP", "TMP"]) process.env[name] = temporary
  const { packagesFolder } = project.getProvidedContext()
  return () => {
    tellShortened(join(folder, shortenedFiles))
    for (const each of [folder, temporary, ...(packagesFolder === null ? [] : [packagesFolder])]) {
      try {
        rmSync(each, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
      } catch (failure) {
        // A disk that a killed test left mounted. The tests have their result.
        process.stderr.write(`${each} stays: ${String(failure)}\n`)
      }
    }
  }
}
