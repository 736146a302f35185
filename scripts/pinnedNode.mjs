/**
 * The Node that runs the root scripts where the machine's own is too old: a build of the current LTS, packed for npm (the
 * package `node` installs the same builds, but outside any lockfile). `runtimes/24` is a pnpm project of its own, so that an
 * installation of the workspace never downloads it; pnpm checks it against the hash in `runtimes/24/pnpm-lock.yaml`.
 */
import { spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { installLocked, ownProject } from "./pnpm.mjs"

/** The least that better-sqlite3 13 runs on: it needs Node-API 10. */
export const minimumNode = "22.14"

/** Whether a version such as `22.14.0` runs this project: 22.14 or newer, but not 23 before 23.6, which lacks Node-API 10. */
export const isSupported = (version) => {
  const [major, minor] = version.split(".").map(Number)
  if (major === 22) return minor >= 14
  if (major === 23) return minor >= 6
  return major > 23
}

/** The npm package that holds the build for this platform. */
const buildName = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`

const folderOf = (root, line) => join(root, "scripts", "runtimes", line)

/** Version and binary of the build in `scripts/runtimes/LINE`; null where it is not installed. */
export const installedNode = (root, line) => {
  const build = join(folderOf(root, line), "node_modules", buildName)
  if (!existsSync(join(build, "package.json"))) return null
  const { bin, version } = JSON.parse(readFileSync(join(build, "package.json"), "utf8"))
  // Some of these packages write their version as `v22.14.0`.
  return { version: version.replace(/^v/, ""), binary: join(build, bin.node) }
}

/** An environment in which `node` is that binary, also for npm and the programs that it runs. */
export const environmentWith = (binary) => ({
  ...process.env,
  PATH: `${dirname(binary)}${delimiter}${process.env.PATH}`
})

/**
 * The same, installed first if it is missing or its lockfile has changed. Rejects with what to do where there is no such line, no
 * build for the platform, or it can't be installed.
 */
export const pinnedNode = async (root, line = "24") => {
  const folder = folderOf(root, line)
  if (!existsSync(join(folder, "package.json"))) {
    throw new Error(
      `There is no Node ${line} in scripts/runtimes; the versions there are ${readdirSync(dirname(folder)).join(", ")}.`
    )
  }
  const { optionalDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const instead = `Install Node ${minimumNode} or newer and run this again.`
  if (optionalDependencies[buildName] === undefined) {
    throw new Error(
      `There is no build of Node ${line} for ${process.platform} on ${process.arch}. ${instead}`
    )
  }
  const failure = `Node ${line} could not be installed: npm does not have it, or it is not what the lockfile names. ${instead}`
  await installLocked(root, folder, {
    what: `Node ${line} into ${join("scripts", "runtimes", line)}`,
    key: buildName,
    options: ownProject,
    failure,
    // pnpm leaves out an optional package that it can't get, or whose hash is another, without an error.
    problem: () => (installedNode(root, line) === null ? failure : null)
  })
  return installedNode(root, line)
}

/** Runs the program to its end; answers its exit code. It gets every signal that this process gets. */
export const runUnder = ({ binary }, args) =>
  new Promise((resolve, reject) => {
    const child = spawn(binary, args, { stdio: "inherit", env: environmentWith(binary) })
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal))
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
