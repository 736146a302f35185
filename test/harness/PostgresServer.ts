/** A Postgres server of a test's own, in a temporary folder, on a free port of the loopback interface. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
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
  /** Those of `findPostgres` unless given. */
  readonly binaries?: PostgresBinaries
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
    private readonly settings: Record<string, string>
  ) {}

  /** The URL of a database. */
  url(database = "postgres"): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`
  }

  get pid(): number {
    return this.postmaster!.pid!
  }

  private spawn(): ChildProcess {
    const log = openSync(join(this.folder, "log"), "a")
    const settings = Object.entries(this.settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    const postmaster = spawn(
      join(this.binaries.folder, "postgres"),
      ["-D", join(this.folder, "data"), "-p", String(this.port), ...settings],
      { ...this.binaries.owner, cwd: "/", detached: true, stdio: ["ignore", log, log] }
    )
    postmaster.unref()
    this.postmaster = postmaster
    return postmaster
  }

  /** What a new connection fails with; null where there is one. */
  private async failureOfConnecting(): Promise<{ readonly code?: string } | null> {
    const client = new pg.Client({ connectionString: this.url() })
    client.on("error", () => {})
    try {
      await client.connect()
      await client.end()
      return null
    } catch (error) {
      return error as { readonly code?: string }
    }
  }

  /** Starts the server, and ends when it takes connections. */
  async start(): Promise<void> {
    const postmaster = this.spawn()
    for (const until = Date.now() + startMillis; ; await sleep(20)) {
      const error = await this.failureOfConnecting()
      if (error === null) return
      if (postmaster.exitCode !== null || Date.now() > until) {
        throw new Error(
          `Postgres does not start: ${readFileSync(join(this.folder, "log"), "utf8").slice(-2000)}`,
          { cause: error }
        )
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

  /**
   * Makes a standby from a copy of this server's files and starts both: this server ends for as long as the copy takes. Ends when the
   * standby streams; from then on this server answers a commit when both have it on disk.
   */
  async addStandby(): Promise<PostgresServer> {
    await this.kill("SIGINT")
    const standby = await prepareServer(this.folder, this.settings)
    const { owner } = this.binaries
    const signal = join(standby.folder, "data", "standby.signal")
    writeFileSync(signal, "")
    if (owner !== undefined) chownSync(signal, owner.uid, owner.gid)
    standby.settings["primary_conninfo"] = `host=127.0.0.1 port=${this.port} user=postgres`
    await this.start()
    await standby.start()
    await this.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
    await this.run("SELECT pg_reload_conf()")
    const isInStep = async (): Promise<boolean> =>
      (await this.run("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length > 0
    while (!(await isInStep())) await sleep(20)
    return standby
  }

  /**
   * Starts the server as one that recovers for ever, and refuses connections meanwhile as every server does that starts. Ends when it
   * refuses one. `kill`, `endRecovery` and `start` make it what it was.
   */
  async startRecovering(): Promise<void> {
    const signal = join(this.folder, "data", "standby.signal")
    writeFileSync(signal, "")
    if (this.binaries.owner !== undefined) chownSync(signal, this.binaries.owner.uid, this.binaries.owner.gid)
    this.settings["hot_standby"] = "off"
    this.spawn()
    while ((await this.failureOfConnecting())?.code !== "57P03") await sleep(20)
  }

  /** Makes a server that was killed while it recovered one that starts again. */
  endRecovery(): void {
    rmSync(join(this.folder, "data", "standby.signal"))
    delete this.settings["hot_standby"]
  }

  /** Has the server read this as its rules of who may connect, and how; connections that there are stay. */
  setAccess(rules: string): void {
    writeFileSync(join(this.folder, "data", "pg_hba.conf"), `${rules}\n`)
    process.kill(this.pid, "SIGHUP")
  }

  /** Lets a standby take over; ends when it takes writes. */
  async promote(): Promise<void> {
    await this.run("SELECT pg_promote()")
    while ((await this.run("SELECT 1 WHERE NOT pg_is_in_recovery()")).length === 0) await sleep(20)
  }

  /** Runs one statement as the owner of the server and answers its rows. */
  private async run(statement: string): Promise<ReadonlyArray<unknown>> {
    const client = new pg.Client({ connectionString: this.url() })
    await client.connect()
    try {
      return (await client.query(statement)).rows
    } finally {
      await client.end()
    }
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
export const initializeCluster = (
  folder: string,
  { folder: bin, owner }: PostgresBinaries = foundPostgres()
): void => {
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

/** Makes the files of a server, a copy of those in `data` of `cluster`, and does not start it. */
const prepareServer = async (
  cluster: string | undefined,
  settings: Readonly<Record<string, string>>,
  watchedPid = process.pid,
  binaries = foundPostgres()
): Promise<PostgresServer> => {
  const folder = mkdtempSync(join(tmpdir(), "lead-signals-postgres-"))
  const watchdog = fileURLToPath(new URL("PostgresWatchdog.mjs", import.meta.url))
  spawn(process.execPath, [watchdog, folder, String(watchedPid)], { detached: true, stdio: "ignore" }).unref()
  if (cluster === undefined) initializeCluster(folder, binaries)
  else copyCluster(cluster, folder)
  return new PostgresServer(folder, await freePort(), binaries, { ...settings })
}

/** Makes a new, empty server and starts it. Where the watched process is killed, the server ends within a second. */
export const createPostgresServer = async ({
  binaries,
  cluster,
  settings = {},
  synced = false,
  watchedPid
}: PostgresServerOptions = {}): Promise<PostgresServer> => {
  const unsynced = { fsync: "off", full_page_writes: "off" }
  const server = await prepareServer(
    cluster,
    {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      max_connections: "200",
      shared_buffers: "64MB",
      ...(synced ? {} : unsynced),
      ...settings
    },
    watchedPid,
    binaries
  )
  await server.start()
  return server
}
