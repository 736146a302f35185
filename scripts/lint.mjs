/**
 * `npm run lint`: the linter, the formatter's check, the count of docstrings, the check of names, and the search for exports, files and dependencies that
 * nothing uses.
 */
import { runStaticChecks } from "./steps.mjs"

process.exit(await runStaticChecks(["lint", "format", "docstrings", "names", "unused"]))
