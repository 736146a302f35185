/** Runs the pnpm that package.json names, through npx, so that Node and npm are all that a clone needs. */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const isWindows = process.platform === "win32"

/** Runs pnpm in the folder. Resolves to its exit status and the last 40 lines of its output. */
export const runPnpm = (root, folder, args) => {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  return new Promise((resolve) => {
    const child = spawn(
      isWindows ? "npx.cmd" : "npx",
      ["--yes", packageManager, ...args, "--reporter=append-only"],
      {
        cwd: folder,
        shell: isWindows,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, CI: "true" }
      }
    )
    const lines = []
    const keep = (chunk) => {
      lines.push(...String(chunk).split("\n"))
      lines.splice(0, lines.length - 40)
    }
    child.stdout.on("data", keep)
    child.stderr.on("data", keep)
    child.on("error", ({ message }) => resolve({ status: 1, output: `npx can't be run: ${message}` }))
    child.on("close", (status) => resolve({ status, output: lines.join("\n").trim() }))
  })
}

/** The options of `installLocked` for a project that is no part of the workspace. */
export const ownProject = ["--ignore-workspace", "--ignore-scripts"]

/**
 * Installs the packages of the folder's lockfile, unless the last installation had the same lockfile and `key`. Rejects with pnpm's
 * output and `failure`, which says what to do. `problem` then says why the packages can't be used; null when they can.
 */
export const installLocked = async (
  root,
  folder,
  { failure, key = `${process.platform} ${process.arch}`, options = [], problem = () => null, what }
) => {
  const stamp = join(folder, "node_modules", ".installed")
  const wanted = createHash("sha256")
    .update(readFileSync(join(folder, "pnpm-lock.yaml")))
    .update(key)
    .digest("hex")
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return
  process.stderr.write(`Installing ${what} (only once) …\n`)
  const { output, status } = await runPnpm(root, folder, ["install", "--frozen-lockfile", ...options])
  if (status !== 0) throw new Error(`${output}\n\n${failure}`)
  const found = problem()
  if (found !== null) throw new Error(`${output}\n\n${found}`)
  writeFileSync(stamp, wanted)
}
