/** `node scripts/runtime.mjs LINE`: installs the Node of `scripts/runtimes/LINE` and prints the path of its binary. */
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { pinnedNode } from "./pinnedNode.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [line = "24"] = process.argv.slice(2)
try {
  const { binary } = await pinnedNode(root, line)
  process.stdout.write(`${binary}\n`)
} catch ({ message }) {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}
