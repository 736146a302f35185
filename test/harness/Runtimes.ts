/** Other releases of Node, where `scripts/runtimes` has them installed: `node scripts/runtime.mjs LINE` does it. */
import { fileURLToPath } from "node:url"
import { installedNode } from "../../scripts/pinnedNode.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** The binary of a line such as `24`; null where it is not installed. */
export const nodeOf = (line: string): string | null => installedNode(root, line)?.binary ?? null
