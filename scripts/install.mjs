/**
 * Installs what pnpm-lock.yaml names, with nothing but Node and npm there: pnpm comes through npx, the lockfile is frozen,
 * and nothing is done while it is as it was at the last installation. What is installed serves every supported Node, so
 * that Node can be changed without installing again.
 */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

const isWindows = process.platform === "win32"

/** Runs the pnpm that package.json names in the folder; answers its status and the last of what it wrote. */
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

/** Why better-sqlite3, the one package with native code, can't be loaded; null when it can. */
const sqliteProblem = (root) => {
  try {
    const require = createRequire(join(root, "packages", "store-sqlite", "package.json"))
    const Database = require("better-sqlite3")
    new Database(":memory:").close()
    return null
  } catch ({ message }) {
    return message
  }
}

/** Rejects with why the packages could not be installed, and what to do. */
export const installPackages = async (root) => {
  const stamp = join(root, "node_modules", ".installed")
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "pnpm-lock.yaml")))
    .update(`${process.platform} ${process.arch}`)
    .digest("hex")
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return
  process.stderr.write("Installing the packages (this once) …\n")
  const { output, status } = await runPnpm(root, root, ["install", "--frozen-lockfile"])
  if (status !== 0) {
    throw new Error(
      `${output}\n\nThe packages could not be installed; the lines above say why. Mend that and run this again.`
    )
  }
  const problem = sqliteProblem(root)
  if (problem !== null) {
    throw new Error(
      `better-sqlite3 can't be loaded on ${process.platform} ${process.arch}: ${problem}\n` +
        "It ships binaries for Linux (glibc and musl), macOS and Windows on x64 and arm64, where deleting node_modules and " +
        "running this again can help. On other platforms only the libraries without the SQLite store run."
    )
  }
  writeFileSync(stamp, wanted)
}
