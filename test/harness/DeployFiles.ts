/** The files of the repository as texts, and programs that check those under deploy/. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export const textOf = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8")

/**
 * Whether the program is installed. A test that is skipped for lack of it says so. Where the environment has `REQUIRE_` with its name, as
 * in continuous integration that has installed it, the test fails without it.
 */
export const has = (program: string): boolean => {
  if (process.env[`REQUIRE_${program.toUpperCase()}`] !== undefined) return true
  try {
    execFileSync(program, ["--version"], { stdio: "pipe" })
    return true
  } catch {
    console.warn(`SKIPPED: a check of deploy/ needs ${program}, which is not installed.`)
    return false
  }
}
