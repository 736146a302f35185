/**
 * Runs the server of an earlier commit: its sources as git has them, over the packages that this clone has installed. All versions have
 * used the same major versions of them.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
const tsx = pathToFileURL(createRequire(join(root, "package.json")).resolve("tsx")).href

/** Whether the clone has the commit: not a shallow one. */
export const hasCommit = (commit: string): boolean => {
  try {
    execFileSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root, stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const link = (target: string, path: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  if (existsSync(path)) return
  // A link to packages of a clone that is gone.
  rmSync(path, { force: true })
  symlinkSync(target, path)
}

/** Writes the sources of the commit into the folder, those of the server unless paths are given, with links to the packages that they import. */
export const checkOut = (
  commit: string,
  folder: string,
  paths: ReadonlyArray<string> = ["packages", "package.json"]
): void => {
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync("git", ["archive", commit, ...paths], {
    cwd: root,
    maxBuffer: 1 << 28
  })
  execFileSync("tar", ["-x"], { cwd: folder, input: archive })
  const places = readdirSync(join(folder, "packages")).map((name) => join(folder, "packages", name))
  for (const place of [...places, join(folder, "simulations")]) {
    const manifest = join(place, "package.json")
    if (!existsSync(manifest)) continue
    const { name: packageName } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly name: string }
    link(place, join(folder, "node_modules", packageName))
  }
  const installed = join(root, "node_modules", ".pnpm", "node_modules")
  for (const name of readdirSync(installed)) {
    const names = name.startsWith("@")
      ? readdirSync(join(installed, name)).map((each) => `${name}/${each}`)
      : [name]
    for (const each of names) {
      if (!each.startsWith("@lead-signals/")) link(join(installed, each), join(folder, "node_modules", each))
    }
  }
}

export interface RunningRelease {
  readonly url: string
  readonly child: ChildProcess
  /** All that it has written so far. */
  readonly written: () => string
  /** Sends SIGTERM, and ends when the process has. */
  readonly stop: () => Promise<void>
}

export const operatorToken = "operator-token-of-the-fixtures"

/** The process of the server whose sources are in the folder. */
const spawnRelease = (
  folder: string,
  database: string,
  environment: Readonly<Record<string, string>> = {}
): { readonly child: ChildProcess; readonly written: () => string } => {
  const child = spawn(process.execPath, ["--import", tsx, join(folder, "packages/server/src/main.ts")], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      PORT: "0",
      LEAD_SIGNALS_DATABASE: database,
      LEAD_SIGNALS_DEMO: "false",
      LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
      LEAD_SIGNALS_LOG: "json",
      ...environment
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let written = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (written += chunk))
  return { child, written: () => written }
}

/** Starts the server whose sources are in the folder, and waits until it listens. */
export const startRelease = async (
  folder: string,
  database: string,
  environment: Readonly<Record<string, string>> = {}
): Promise<RunningRelease> => {
  const { child, written } = spawnRelease(folder, database, environment)
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.on("data", () => {
      const found = /(http:\/\/127\.0\.0\.1:\d+)/.exec(written())?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${written()}`)))
  })
  return {
    url,
    child,
    written,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, "exit")
      child.kill("SIGTERM")
      await ended
    }
  }
}
