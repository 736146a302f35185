/** Other releases of Node, where `scripts/runtimes` has them installed: `node scripts/runtime.mjs LINE` does it. */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const runtimes = fileURLToPath(new URL("../scripts/runtimes", import.meta.url))
const executable = process.platform === "win32" ? "node.exe" : "bin/node"
const platform = process.platform === "win32" ? "win" : process.platform

/** The binary of a line such as `24`; null where it is not installed. */
export const nodeOf = (line: string): string | null => {
  const binary = join(runtimes, line, "node_modules", `node-${platform}-${process.arch}`, executable)
  return existsSync(binary) ? binary : null
}

/** An environment in which `node` is that binary, for npm and what it runs. */
export const environmentWith = (binary: string): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: `${dirname(binary)}:${process.env["PATH"]}`
})
