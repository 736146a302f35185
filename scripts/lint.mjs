/** `npm run lint`: the linter and the formatter's check. */
import { runStaticChecks } from "./steps.mjs"

process.exit(await runStaticChecks(["lint", "format"]))
