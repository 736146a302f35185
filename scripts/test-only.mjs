/** `npm run test:only -- NAME…`: runs the test files with a NAME in their path, and no other check. Other arguments go to vitest. */
import { join } from "node:path"
import { commandIn, root, runStep } from "./steps.mjs"

const args = process.argv.slice(2)
if (args.length === 0) {
  process.stderr.write(
    "Usage: npm run test:only -- NAME…, with a part of a test file's path, such as domain/Keys\n"
  )
  process.exit(2)
}
const { status } = await runStep(commandIn("test", "vitest"), ["run", ...args], join(root, "test"), "inherit")
process.exit(status)
