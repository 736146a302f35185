/**
 * `npm test`: format, lint, docstrings, names, types and what is unused, all at once and beside the first tests, of which many wait; the first
 * check that fails ends it all. With `--thorough` (`npm run test:thorough`), where the checks come first, generated campaigns have their
 * full length. Other arguments go to vitest.
 */
import { join } from "node:path"
import { endWithDescendants } from "./signals.mjs"
import { commandIn, report, root, runStaticChecks, runStep } from "./steps.mjs"

const isThorough = process.argv.includes("--thorough")
if (isThorough) process.env["THOROUGH_TESTS"] = "true"

const checks = runStaticChecks(["format", "lint", "docstrings", "names", "unused", "types"])
// A thorough run builds the libraries where the check of types writes.
if (isThorough) {
  const failed = await checks
  if (failed !== 0) process.exit(failed)
} else {
  // Packages load faster from a few files. A thorough run loads the sources: loading is a small part of it.
  process.env["BUNDLED_PACKAGES"] = "true"
}

const args = ["run", ...process.argv.slice(2).filter((argument) => argument !== "--thorough")]
const tests = runStep(commandIn("test", "vitest"), args, join(root, "test"), "inherit")
const failed = await checks
if (failed !== 0) endWithDescendants(failed)
else process.exit(report("tests", await tests))
