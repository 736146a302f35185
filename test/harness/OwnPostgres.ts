/**
 * A Postgres server of a test's own, from the system's binaries, with fsync on: tests kill it, fill its disk and start it again. It lives
 * in a temporary folder, on a port of its own.
 */
import { execFileSync, spawnSync } from "node:child_process"
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "./FreePort.ts"

const debianFolder = "/usr/lib/postgresql"

/** The folder of the newest Postgres of the system; null when it has none. */
export const systemBinaries = (): string | null => {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : []
  const folders = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(debianFolder, version, "bin"))
    .filter((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "pg_ctl")))
  return folders[0] ?? null
}

export interface OwnPostgres {
  /** The URL of its database `postgres`, as a superuser. */
  readonly url: string
  readonly port: number
  readonly folder: string
  /** Starts it and waits until it accepts connections. */
  readonly start: () => Promise<void>
  readonly stop: (mode: "smart" | "fast" | "immediate") => Promise<void>
  /** Kills the postmaster alone, as the kernel does when memory runs out; waits until all of its processes are gone. */
  readonly kill: () => Promise<void>
  /** Whether the postmaster runs. */
  readonly isRunning: () => boolean
  /** Stops it and removes its folder. */
  readonly remove: () => Promise<void>
}

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const isRoot = process.getuid?.() === 0

/** Runs a program of Postgres, which refuses to run as root, as the user `postgres` then. */
const run = (program: string, args: ReadonlyArray<string>): void => {
  const [command, ...all] = isRoot
    ? ["runuser", "-u", "postgres", "--", program, ...args]
    : [program, ...args]
  // With pipes `pg_ctl start` would not end before the server does.
  const { status } = spawnSync(command!, all, { stdio: "ignore", cwd: "/" })
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}`)
}

const ownerOf = (name: string): { readonly uid: number; readonly gid: number } => {
  const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }))
  return { uid: id("-u"), gid: id("-g") }
}

const isAlive = (pid: number): boolean => {
  try {
    // True until its parent has asked for its status, and so long a new server takes its lock file for held.
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]!.split(" ")[1] === String(pid)
      } catch {
        return false
      }
    })
    .map(Number)

/** Makes a cluster and starts it. `settings` are lines of its postgresql.conf; `parent` is the folder that it lies in. */
export const startOwnPostgres = async (
  settings: ReadonlyArray<string> = [],
  parent: string = tmpdir()
): Promise<OwnPostgres> => {
  const binaries = systemBinaries()
  if (binaries === null) throw new Error("There is no Postgres: apt-get install postgresql")
  const folder = mkdtempSync(join(parent, "own-postgres-"))
  const data = join(folder, "data")
  if (isRoot) {
    const { gid, uid } = ownerOf("postgres")
    chownSync(folder, uid, gid)
  }
  const initdb = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
  run(join(binaries, "initdb"), initdb)
  const port = await freePort()
  appendFileSync(
    join(data, "postgresql.conf"),
    [
      `port = ${port}`,
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = ''`,
      "shared_buffers = 32MB",
      "max_wal_size = 128MB",
      "autovacuum_naptime = 5s",
      ...settings,
      ""
    ].join("\n")
  )
  const ctl = (...args: ReadonlyArray<string>) =>
    run(join(binaries, "pg_ctl"), ["-D", data, "-t", "120", ...args])
  const pid = (): number | null => {
    const file = join(data, "postmaster.pid")
    return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : null
  }
  const isRunning = (): boolean => {
    const running = pid()
    return running !== null && isAlive(running)
  }
  const start = async () => ctl("-w", "-l", join(folder, "log"), "start")
  const stop = async (mode: "smart" | "fast" | "immediate") => {
    if (isRunning()) ctl("-w", "-m", mode, "stop")
  }
  const own: OwnPostgres = {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    folder,
    start,
    stop,
    kill: async () => {
      const running = pid()
      if (running === null) return
      const backends = childrenOf(running)
      process.kill(running, "SIGKILL")
      while (isAlive(running) || backends.some(isAlive)) await sleep(5)
    },
    isRunning,
    remove: async () => {
      await stop("immediate")
      rmSync(folder, { recursive: true, force: true })
    }
  }
  await start()
  return own
}
