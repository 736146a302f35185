/**
 * Makes sure that what package.json names is installed, with nothing but Node and npm there: pnpm comes through npx, the
 * lockfile is frozen, and nothing is done where everything is in place. Plain JavaScript on purpose: it runs before
 * anything is installed.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, "node_modules", ".installed")

const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  stop(`Lead Signals needs Node 20.19 or newer; this is ${process.versions.node}.`)
}

function stop(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** Changes with the lockfile, and with the Node that the native module was built for. */
const wanted = createHash("sha256")
  .update(readFileSync(join(root, "pnpm-lock.yaml")))
  .update(`${process.versions.modules} ${process.platform} ${process.arch}`)
  .digest("hex")

const isInstalled = () => existsSync(stamp) && readFileSync(stamp, "utf8") === wanted

/** Whether better-sqlite3, the one package with native code, was installed and built for this Node. */
const sqliteProblem = () => {
  try {
    const require = createRequire(join(root, "packages", "store-sqlite", "package.json"))
    const Database = require("better-sqlite3")
    new Database(":memory:").close()
    return null
  } catch (error) {
    return error
  }
}

if (!isInstalled()) {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  process.stderr.write(
    "Installing the packages (this once; better-sqlite3 may be compiled, which takes a minute) …\n"
  )
  const install = spawnSync(
    process.platform === "win32" ? "npx.cmd" : "npx",
    ["--yes", packageManager, "install", "--frozen-lockfile", "--reporter=append-only"],
    {
      cwd: root,
      encoding: "utf8",
      shell: process.platform === "win32",
      maxBuffer: 1 << 28,
      env: { ...process.env, CI: "true" }
    }
  )
  const problem = install.status === 0 ? sqliteProblem() : null
  if (install.status !== 0 || problem !== null) {
    const output = `${install.stdout ?? ""}${install.stderr ?? ""}${problem === null ? "" : problem.message}`
    process.stderr.write(`${output.trimEnd().split("\n").slice(-25).join("\n")}\n\n`)
    const isNative = problem !== null || /better-sqlite3|node-gyp|gyp ERR/.test(output)
    stop(
      isNative
        ? "better-sqlite3 could neither be had as a prebuilt binary nor be compiled. To compile it, install a C++ " +
            "toolchain and Python 3 (Debian, Ubuntu: apt-get install build-essential python3; Fedora: dnf install " +
            "gcc-c++ make python3; macOS: xcode-select --install), then run this command again."
        : "The packages could not be installed; the lines above say why. Run this command again when that is mended."
    )
  }
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, wanted)
}
