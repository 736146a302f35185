/** `npm test`: format, lint, types and what is unused, all at once, then all tests; what fails ends it. Arguments go to vitest. */
import { join } from "node:path"
import { commandIn, report, root, runStaticChecks, runStep } from "./steps.mjs"

const failed = await runStaticChecks(["format", "lint", "types", "unused"])
if (failed !== 0) process.exit(failed)

const args = ["run", ...process.argv.slice(2)]
process.exit(report("tests", await runStep(commandIn("test", "vitest"), args, join(root, "test"), "inherit")))
