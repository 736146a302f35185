/**
 * `npm test`: format, lint, docstrings, types and what is unused, all at once, then all tests; the first failure ends it. The check of
 * types takes longest and goes on beside the first tests. With `--thorough` (`npm run test:thorough`) generated campaigns
 * have their full length. Other arguments go to vitest.
 */
import { join } from "node:path"
import { endWithDescendants } from "./signals.mjs"
import { commandIn, report, root, runStaticChecks, runStep, startStaticCheck } from "./steps.mjs"

const isThorough = process.argv.includes("--thorough")
if (isThorough) process.env["THOROUGH_TESTS"] = "true"

const types = startStaticCheck("types").then((ended) => report("types", ended))
const failed = await runStaticChecks(["format", "lint", "docstrings", "unused"])
// A thorough run builds the libraries where the check of types writes.
if (failed !== 0 || isThorough) {
  const typesFailed = await types
  if (failed !== 0 || typesFailed !== 0) process.exit(failed || typesFailed)
}

const args = ["run", ...process.argv.slice(2).filter((argument) => argument !== "--thorough")]
const tests = runStep(commandIn("test", "vitest"), args, join(root, "test"), "inherit")
const typesFailed = await types
if (typesFailed !== 0) endWithDescendants(typesFailed)
else process.exit(report("tests", await tests))
