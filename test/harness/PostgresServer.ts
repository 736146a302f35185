/** A Postgres server of a test's own, in a temporary folder, on a free port of the loopback interface. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import pg from "pg"
import { freePort } from "./FreePort.ts"
import { findPostgres, type PostgresBinaries } from "./PostgresBinaries.ts"

export interface PostgresServerOptions {
  /** Whether a commit waits for the disk: for tests that kill the server. `false` unless given. */
  readonly synced?: boolean
  /** Further settings, as in `{ max_connections: "20" }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** A folder that `initializeCluster` made, to be copied: making one anew takes a second. */
  readonly cluster?: string
  /** The process with which the server ends; this one unless given. */
  readonly watchedPid?: number
}

/** Milliseconds that a start may take, on a machine that is busy with other tests. */
const startMillis = 300_000

/** A server that `createPostgresServer` made. */
export class PostgresServer {
  private postmaster: ChildProcess | null = null

  constructor(
    readonly folder: string,
    readonly port: number,
    private readonly binaries: PostgresBinaries,
    private readonly settings: Readonly<Record<string, string>>
  ) {}

  /** The URL of a database. */
  url(database = "postgres"): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`
  }

  get pid(): number {
    return this.postmaster!.pid!
  }

  /** Starts the server, and ends when it takes connections. */
  async start(): Promise<void> {
    const log = openSync(join(this.folder, "log"), "a")
    const settings = Object.entries(this.settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    const postmaster = spawn(
      join(this.binaries.folder, "postgres"),
      ["-D", join(this.folder, "data"), "-p", String(this.port), ...settings],
      { ...this.binaries.owner, cwd: "/", detached: true, stdio: ["ignore", log, log] }
    )
    postmaster.unref()
    this.postmaster = postmaster
    for (const until = Date.now() + startMillis; ; await sleep(20)) {
      const client = new pg.Client({ connectionString: this.url() })
      client.on("error", () => {})
      try {
        await client.connect()
        await client.end()
        return
      } catch (error) {
        if (postmaster.exitCode !== null || Date.now() > until) {
          throw new Error(
            `Postgres does not start: ${readFileSync(join(this.folder, "log"), "utf8").slice(-2000)}`,
            {
              cause: error
            }
          )
        }
      }
    }
  }

  /** Sends the signal to the postmaster: SIGTERM, SIGINT and SIGQUIT are its smart, fast and immediate shutdown. Ends when it is gone. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const { postmaster } = this
    if (postmaster === null || postmaster.exitCode !== null || postmaster.signalCode !== null) return
    // Without it a process that has nothing else to do would end before the server.
    postmaster.ref()
    const gone = once(postmaster, "exit")
    // Nothing else may keep a program alive that waits for it.
    postmaster.ref()
    process.kill(postmaster.pid!, signal)
    await gone
    this.postmaster = null
  }

  /** Ends the server and removes its files. */
  async remove(): Promise<void> {
    await this.kill("SIGQUIT")
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

const foundPostgres = (): PostgresBinaries => {
  const binaries = findPostgres()
  if (binaries === null) throw new Error("there is no Postgres to start")
  return binaries
}

/** Makes the files of an empty server in `data` of the folder, which it makes. */
export const initializeCluster = (folder: string): void => {
  const { folder: bin, owner } = foundPostgres()
  mkdirSync(folder, { recursive: true })
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
  chmodSync(folder, 0o755)
  const options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
  const made = spawnSync(join(bin, "initdb"), ["-D", join(folder, "data"), ...options], {
    ...owner,
    cwd: "/",
    encoding: "utf8"
  })
  if (made.status !== 0) throw new Error(`initdb fails: ${made.stderr}${made.error ?? ""}`)
}

/** Copies what `initializeCluster` made, as the user whom Postgres runs as. */
const copyCluster = (from: string, folder: string): void => {
  const { owner } = foundPostgres()
  const [source, target] = [join(from, "data"), join(folder, "data")]
  if (owner === undefined) {
    cpSync(source, target, { recursive: true })
    chmodSync(target, 0o700)
    return
  }
  chownSync(folder, owner.uid, owner.gid)
  chmodSync(folder, 0o755)
  const copied = spawnSync("cp", ["-R", "-p", source, target], { ...owner, cwd: "/", encoding: "utf8" })
  if (copied.status !== 0) throw new Error(`cp fails: ${copied.stderr}${copied.error ?? ""}`)
}

/** Makes a new, empty server and starts it. Where the watched process is killed, the server ends within a second. */
export const createPostgresServer = async ({
  cluster,
  settings = {},
  synced = false,
  watchedPid = process.pid
}: PostgresServerOptions = {}): Promise<PostgresServer> => {
  const binaries = foundPostgres()
  const folder = mkdtempSync(join(tmpdir(), "lead-signals-postgres-"))
  const watchdog = fileURLToPath(new URL("PostgresWatchdog.mjs", import.meta.url))
  spawn(process.execPath, [watchdog, folder, String(watchedPid)], { detached: true, stdio: "ignore" }).unref()
  if (cluster === undefined) initializeCluster(folder)
  else copyCluster(cluster, folder)
  const unsynced = { fsync: "off", full_page_writes: "off" }
  const server = new PostgresServer(folder, await freePort(), binaries, {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "200",
    shared_buffers: "64MB",
    ...(synced ? {} : unsynced),
    ...settings
  })
  await server.start()
  return server
}
