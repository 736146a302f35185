/**
 * `npm test`: format, lint, docstrings, types and what is unused, all at once, then all tests; the first failure ends it. With `--thorough`
 * (`npm run test:thorough`) generated campaigns have their full length. Other arguments go to vitest.
 */
import { join } from "node:path"
import { commandIn, report, root, runStaticChecks, runStep } from "./steps.mjs"

const failed = await runStaticChecks(["format", "lint", "docstrings", "types", "unused"])
if (failed !== 0) process.exit(failed)

const isThorough = process.argv.includes("--thorough")
if (isThorough) process.env["THOROUGH_TESTS"] = "true"
const args = ["run", ...process.argv.slice(2).filter((argument) => argument !== "--thorough")]
process.exit(report("tests", await runStep(commandIn("test", "vitest"), args, join(root, "test"), "inherit")))
