/**
 * `npm test`: format, lint, docstrings, names, types and what is unused, all at once and beside the first tests, of which many wait; the first
 * check that fails ends it all. With `--thorough` (`npm run test:thorough`), where the checks come first, generated campaigns have their
 * full length; with `--minutes N` only in the files that begin within so many minutes: the rest run as in `npm test`, and are named at the
 * end. Other arguments go to vitest.
 */
import { join } from "node:path"
import { endWithDescendants } from "./signals.mjs"
import { commandIn, report, root, runStaticChecks, runStep } from "./steps.mjs"

const words = process.argv.slice(2)
const isThorough = words.includes("--thorough")
if (isThorough) process.env["THOROUGH_TESTS"] = "true"
const minutesAt = words.indexOf("--minutes")
if (minutesAt !== -1) {
  const minutes = Number(words[minutesAt + 1])
  if (!isThorough || !(minutes > 0)) {
    process.stderr.write(
      "--minutes goes with --thorough and takes a number above 0: npm run test:thorough -- --minutes 40\n"
    )
    process.exit(2)
  }
  process.env["THOROUGH_TESTS_UNTIL"] = String(Date.now() + minutes * 60_000)
  words.splice(minutesAt, 2)
}

const checks = runStaticChecks(["format", "lint", "docstrings", "names", "unused", "types"])
// A thorough run builds the libraries where the check of types writes.
if (isThorough) {
  const failed = await checks
  if (failed !== 0) process.exit(failed)
} else {
  // Packages load faster from a few files. A thorough run loads the sources: loading is a small part of it.
  process.env["BUNDLED_PACKAGES"] = "true"
}

const args = ["run", ...words.filter((word) => word !== "--thorough")]
const tests = runStep(commandIn("test", "vitest"), args, join(root, "test"), "inherit")
const failed = await checks
if (failed !== 0) endWithDescendants(failed)
else process.exit(report("tests", await tests))
