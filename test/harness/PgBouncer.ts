/** A PgBouncer of a test's own before a Postgres, on a free port of the loopback interface. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { freePort } from "./FreePort.ts"
import { findPostgres } from "./PostgresBinaries.ts"

const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/opt/homebrew/bin"]
const binary = folders.map((folder) => join(folder, "pgbouncer")).find((path) => existsSync(path))

/** Whether tests over PgBouncer are left out, as `describe.skipIf` takes it. */
export const isWithoutPgBouncer: boolean = binary === undefined

if (isWithoutPgBouncer) {
  console.warn(
    "SKIPPED: tests over PgBouncer need its binary, and there is none (Debian: apt-get install pgbouncer)."
  )
}

const [major = 0, minor = 0] =
  binary === undefined
    ? []
    : (/PgBouncer (\d+)\.(\d+)/.exec(spawnSync(binary, ["--version"], { encoding: "utf8" }).stdout) ?? [])
        .slice(1)
        .map(Number)

/** Whether the pooler keeps prepared statements in transaction mode, as PgBouncer does since 1.21. */
export const keepsPreparedStatements: boolean = major > 1 || minor >= 21

export interface PgBouncer {
  /** The URL of a database through the pooler. */
  readonly url: (database: string) => string
  readonly close: () => Promise<void>
}

export interface PgBouncerOptions {
  readonly mode: "session" | "transaction"
  /** Connections to the server at most. */
  readonly poolSize: number
}

/** Milliseconds that a start may take, on a machine that is busy with other tests. */
const startMillis = 300_000

/** Starts a pooler before the server of the URL, and ends when it takes connections. */
export const startPgBouncer = async (
  target: string,
  { mode, poolSize }: PgBouncerOptions
): Promise<PgBouncer> => {
  if (binary === undefined) throw new Error("there is no pgbouncer to start")
  const { hostname, pathname, port, username } = new URL(target)
  const folder = mkdtempSync(join(tmpdir(), "lead-signals-pgbouncer-"))
  const own = await freePort()
  writeFileSync(join(folder, "users"), `"${username}" ""\n`)
  const settings = {
    listen_addr: "127.0.0.1",
    listen_port: own,
    unix_socket_dir: "",
    auth_type: "trust",
    auth_file: join(folder, "users"),
    pool_mode: mode,
    default_pool_size: poolSize,
    max_client_conn: 500,
    server_login_retry: 1,
    ...(keepsPreparedStatements ? { max_prepared_statements: 200 } : {})
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const config = join(folder, "pgbouncer.ini")
  writeFileSync(config, `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\n${lines.join("\n")}\n`)
  const owner = findPostgres()?.owner
  chmodSync(folder, 0o755)
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
  const log = openSync(join(folder, "log"), "a")
  const pooler = spawn(binary, [config], { ...owner, cwd: "/", stdio: ["ignore", log, log] })
  const end = (): void => void pooler.kill("SIGKILL")
  process.once("exit", end)
  const url = (database: string): string => `postgres://${username}@127.0.0.1:${own}/${database}`
  for (const until = Date.now() + startMillis; ; await sleep(20)) {
    const client = new pg.Client({ connectionString: url(pathname.slice(1)) })
    client.on("error", () => {})
    try {
      await client.connect()
      await client.end()
      break
    } catch (error) {
      if (pooler.exitCode !== null || Date.now() > until) {
        const said = readFileSync(join(folder, "log"), "utf8").slice(-2000)
        throw new Error(`pgbouncer does not start: ${said}`, { cause: error })
      }
    }
  }
  return {
    url,
    close: async () => {
      if (pooler.exitCode === null) {
        const gone = once(pooler, "exit")
        end()
        await gone
      }
      process.off("exit", end)
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
