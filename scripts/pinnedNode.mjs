/**
 * The Node that runs the root scripts where the machine's own is too old: a build of the current LTS, packed for npm (the
 * package `node` installs the same builds, but outside any lockfile). `runtimes/24` is a pnpm project of its own, so that an
 * installation of the workspace never downloads it; pnpm checks it against the hash in `runtimes/24/pnpm-lock.yaml`.
 */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { runPnpm } from "./install.mjs"

/** The least that better-sqlite3 13 runs on: it needs Node-API 10. */
export const minimumNode = "22.14"

/** Whether a version such as `22.14.0` runs this project: 22.14 or newer, but not 23 before 23.6, which lacks Node-API 10. */
export const isSupported = (version) => {
  const [major, minor] = version.split(".").map(Number)
  if (major === 22) return minor >= 14
  if (major === 23) return minor >= 6
  return major > 23
}

const platformPackage = () => {
  const platform = process.platform === "win32" ? "win" : process.platform
  return `node-${platform}-${process.arch}`
}

/**
 * The binary and version of the build in `scripts/runtimes/LINE`, installed first if it is missing or its lockfile has
 * changed. Rejects with what to do where there is no build for the platform or it can't be installed.
 */
export const pinnedNode = async (root, line = "24") => {
  const folder = join(root, "scripts", "runtimes", line)
  const name = platformPackage()
  const installed = join(folder, "node_modules", name)
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const instead = `Install Node ${minimumNode} or newer and run this again.`
  if (manifest.optionalDependencies[name] === undefined) {
    throw new Error(
      `Node ${process.versions.node} is too old, and there is no newer build for ${process.platform} on ${process.arch} to run instead. ${instead}`
    )
  }
  const stamp = join(folder, "node_modules", ".installed")
  const wanted = createHash("sha256")
    .update(readFileSync(join(folder, "pnpm-lock.yaml")))
    .update(name)
    .digest("hex")
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
    process.stderr.write(`Installing Node ${line} into ${join("scripts", "runtimes", line)} (this once) …\n`)
    const { output, status } = await runPnpm(root, folder, [
      "install",
      "--ignore-workspace",
      "--frozen-lockfile",
      "--ignore-scripts"
    ])
    if (status !== 0 || !existsSync(join(installed, "package.json"))) {
      throw new Error(
        // pnpm leaves out an optional package that it can't get, or whose hash is another, without an error.
        `${output}\n\nNode ${line} could not be installed: it could not be had, or is not what the lockfile names. ${instead}`
      )
    }
    writeFileSync(stamp, wanted)
  }
  const { bin, version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))
  // Some of these packages write their version as `v22.14.0`.
  return { version: version.replace(/^v/, ""), binary: join(installed, bin.node) }
}

/** Runs the program to its end; answers its exit code. It gets the signals that this process gets, each once. */
export const runUnder = ({ binary }, args) =>
  new Promise((resolve, reject) => {
    const child = spawn(binary, args, {
      stdio: "inherit",
      env: { ...process.env, PATH: `${dirname(binary)}${delimiter}${process.env.PATH}` }
    })
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
      let isForwarded = false
      process.on(signal, () => {
        if (!isForwarded) child.kill(signal)
        isForwarded = true
      })
    }
    child.on("error", reject)
    child.on("exit", (code, signal) => {
      if (signal === null) resolve(code)
      else {
        // As a shell would see it had it run the program itself.
        process.removeAllListeners(signal)
        process.kill(process.pid, signal)
      }
    })
  })
