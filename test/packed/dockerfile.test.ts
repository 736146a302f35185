/** The steps of deploy/Dockerfile, run without Docker: what they make serves, is healthy, and ends at SIGTERM. */
import { execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
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

const isIgnored = (pattern: string, file: string): boolean => {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/^\*\*\//, "(?:.*/)?")
    .replaceAll(/(?<!\?:\.)\*/g, "[^/]*")
  return new RegExp(`^${source}(?:/|$)`).test(file)
}

/**
 * Where this process may: mounts the folders of the image at their places, makes all else read-only, and runs as the account 1000 without
 * any capability.
 */
const contained = [
  "set -e",
  "mount -t tmpfs tmpfs /opt && mkdir -p /opt/lead-signals /opt/node",
  // Node, the image and this clone may lie in /tmp.
  'mount --bind "$NODE" /opt/node',
  'mount --bind "$IMAGE/opt/lead-signals" /opt/lead-signals && mount -o remount,bind,ro /opt/lead-signals',
  "mount -t tmpfs tmpfs /var/lib && mkdir /var/lib/lead-signals",
  'mount --bind "$IMAGE/var/lib/lead-signals" /var/lib/lead-signals',
  "mount -t tmpfs -o ro tmpfs /tmp",
  "mount -o remount,bind,ro /",
  "! touch /opt/lead-signals/x 2>/dev/null && ! touch /x 2>/dev/null && ! touch /tmp/x 2>/dev/null",
  'exec setpriv --reuid=1000 --regid=1000 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"'
].join("\n")

const unshared = ["--mount", "--propagation", "private"]

const isContainable = ((): boolean => {
  try {
    execFileSync("unshare", [...unshared, "sh", "-c", "mount -t tmpfs tmpfs /opt && setpriv --version"], {
      stdio: "ignore"
    })
    return true
  } catch {
    console.warn("PARTLY: only root can run the image on a read-only root; it runs from a read-only folder.")
    return false
  }
})()

it("makes an image that serves from a read-only root without rights, and stops at SIGTERM [HEALTH-2]", async () => {
  const folder = temporaryFolder()
  const context = contextOf(folder)
  const patterns = readFileSync(join(root, "deploy", "Dockerfile.dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
  // A secret beside the Compose file is no part of what the image is built from; nothing that it needs is left out.
  expect(patterns.some((pattern) => isIgnored(pattern, "deploy/.env"))).toBe(true)
  const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trim().split("\n")
  expect(tracked.filter((file) => patterns.some((pattern) => isIgnored(pattern, file)))).toEqual([])
  const built = build(readFileSync(join(root, "deploy", "Dockerfile"), "utf8"), context, folder)
  expect(existsSync(join(built.root, "var", "cache", "npm"))).toBe(false)
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
  const within = (text: string): string => text.replaceAll(built.root, "")
  if (isContainable) chownSync(join(built.root, "var", "lib", "lead-signals"), 1000, 1000)
  const server = isContainable
    ? spawn(
        "unshare",
        [
          ...unshared,
          "sh",
          "-c",
          contained,
          "sh",
          join("/opt/node", basename(process.execPath)),
          ...built.entryPoint.slice(1).map(within)
        ],
        {
          cwd: "/",
          env: {
            ...environment,
            ...Object.fromEntries(
              Object.entries(built.environment).map(([name, value]) => [name, within(value)])
            ),
            HOST: "127.0.0.1",
            PORT: environment["PORT"],
            IMAGE: built.root,
            NODE: dirname(process.execPath)
          },
          stdio: ["ignore", "ignore", "inherit"]
        }
      )
    : spawn(built.entryPoint[0]!, built.entryPoint.slice(1), { cwd: "/", env: environment, stdio: "ignore" })
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
