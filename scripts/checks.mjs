/**
 * `npm test`: format, lint, docstrings, types and what is unused, all at once, then all tests; the first failure ends it. Format and
 * types take longest and go on beside the first tests. With `--thorough` (`npm run test:thorough`) generated campaigns
 * have their full length. Other arguments go to vitest.
 */
import { join } from "node:path"
import { endWithDescendants } from "./signals.mjs"
import { commandIn, report, root, runStaticChecks, runStep, startStaticCheck } from "./steps.mjs"

const isThorough = process.argv.includes("--thorough")
if (isThorough) process.env["THOROUGH_TESTS"] = "true"

const longest = Promise.all(
  ["format", "types"].map((name) => startStaticCheck(name).then((ended) => report(name, ended)))
).then((failures) => failures.find((failed) => failed !== 0) ?? 0)
const failed = await runStaticChecks(["lint", "docstrings", "unused"])
// A thorough run builds the libraries where the check of types writes.
if (failed !== 0 || isThorough) {
  const longestFailed = await longest
  if (failed !== 0 || longestFailed !== 0) process.exit(failed || longestFailed)
}

const args = ["run", ...process.argv.slice(2).filter((argument) => argument !== "--thorough")]
const tests = runStep(commandIn("test", "vitest"), args, join(root, "test"), "inherit")
const longestFailed = await longest
if (longestFailed !== 0) endWithDescendants(longestFailed)
else process.exit(report("tests", await tests))
