/**
 * `npm run test:compatibility [-- LINE…]`: the tests that touch what a runtime could change, under the oldest supported Node
 * and the newest one, from `scripts/runtimes`. What fails under one of them ends it.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { environmentWith, pinnedNode } from "./pinnedNode.mjs"
import { root } from "./steps.mjs"

const files = [
  "store-sqlite/",
  "store-contract/",
  "store-memory/",
  "server/start",
  "server/commands",
  "server/fileCommands",
  "server/readme",
  "server/operatorCommands",
  "server/signalsToCommands",
  "server/webhooks",
  "server/rootScripts",
  "embedded/",
  "packed/",
  "webhook/",
  "simulations/simulate"
]
const lines = process.argv.slice(2)

for (const line of lines.length > 0 ? lines : ["22", "26"]) {
  const { binary, version } = await pinnedNode(root, line)
  process.stdout.write(`\n— compatibility with Node ${version}\n`)
  const { status } = spawnSync(
    binary,
    [join(root, "test", "node_modules", "vitest", "vitest.mjs"), "run", ...files],
    {
      cwd: join(root, "test"),
      stdio: "inherit",
      env: environmentWith(binary)
    }
  )
  if (status !== 0) process.exit(status ?? 1)
}
