/** `npm run mcp-transcript`: writes the sessions of an assistant into docs/mcp.md, as test/mcp/transcript.test.ts has them with the demo. */
import { join } from "node:path"
import { commandIn, root, runStep } from "./steps.mjs"

process.env.UPDATE_TRANSCRIPT = "true"
const { status } = await runStep(
  commandIn("test", "vitest"),
  ["run", "mcp/transcript"],
  join(root, "test"),
  "inherit"
)
process.exit(status)
