/** The steps of deploy/Dockerfile, run without Docker: what they make serves, is healthy, and ends at SIGTERM. */
import { execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { build } from "../harness/Dockerfile.ts"
import { freePort } from "../harness/FreePort.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** The files that git has, or would take: what the image is built from, without installed packages. */
const contextOf = (folder: string): string => {
  const context = join(folder, "context")
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8"
  })
  for (const file of files
    .trim()
    .split("\n")
    .filter((each) => existsSync(join(root, each)))) {
    mkdirSync(join(context, dirname(file)), { recursive: true })
    cpSync(join(root, file), join(context, file))
  }
  return context
}

const healthy = async (command: ReadonlyArray<string>, environment: NodeJS.ProcessEnv): Promise<boolean> => {
  try {
    await promisify(execFile)(command[0]!, command.slice(1), { env: environment })
    return true
  } catch {
    return false
  }
}

it("makes an image that serves from a read-only folder and stops at SIGTERM [HEALTH-2]", async () => {
  const folder = temporaryFolder()
  const built = build(readFileSync(join(root, "deploy", "Dockerfile"), "utf8"), contextOf(folder), folder)
  expect(readdirSync(built.workingFolder).sort()).toEqual([
    "lead-signals.mjs",
    "node_modules",
    "package-lock.json",
    "package.json"
  ])
  chmodSync(built.workingFolder, 0o555)
  const environment: NodeJS.ProcessEnv = {
    PATH: process.env["PATH"],
    ...built.environment,
    HOST: "127.0.0.1",
    PORT: String(await freePort()),
    LEAD_SIGNALS_OPERATOR_TOKEN: "a-token-of-the-test"
  }
  expect(await healthy(built.healthCheck, environment)).toBe(false)
  const server = spawn(built.entryPoint[0]!, built.entryPoint.slice(1), {
    cwd: "/",
    env: environment,
    stdio: "ignore"
  })
  const ended = once(server, "exit")
  try {
    while (!(await healthy(built.healthCheck, environment))) expect(server.exitCode).toBeNull()
    expect(existsSync(environment["LEAD_SIGNALS_DATABASE"]!)).toBe(true)
  } finally {
    server.kill("SIGTERM")
  }
  expect((await ended)[0]).toBe(0)
  chmodSync(built.workingFolder, 0o755)
})
