/**
 * The Postgres of a run of tests: `TEST_DATABASE_URL`, or a server that the first test to want one starts and that ends with the run.
 * A test gets databases of its own on it.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs"
import { randomUUID } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { inject } from "vitest"
import { findPostgres } from "./PostgresBinaries.ts"
import { madeOnce } from "./MadeOnce.ts"
import { isThorough } from "./Thoroughness.ts"
import {
  createPostgresServer,
  initializeCluster,
  type PostgresServer,
  type PostgresServerOptions
} from "./PostgresServer.ts"

const given = process.env["TEST_DATABASE_URL"]

/** Continuous integration may leave no test on Postgres out. */
export const isRequired: boolean =
  process.env["CI"] !== undefined || process.env["REQUIRE_POSTGRES"] !== undefined

/** Whether tests on Postgres are left out, as `describe.skipIf` takes it: only where there is none, and not in continuous integration. */
export const isWithoutPostgres: boolean = given === undefined && findPostgres() === null && !isRequired

if (isWithoutPostgres) {
  console.warn(
    "SKIPPED: tests on Postgres need its binaries, and there are none. Install them (Debian: apt-get install postgresql; macOS: brew install postgresql), or name a server in TEST_DATABASE_URL."
  )
}

/** Makes a server of a test's own and starts it; the files of all servers of a run are copies of one. */
export const startPostgres = async (options?: PostgresServerOptions): Promise<PostgresServer> => {
  // Where the user whom Postgres runs as may read: the folder of temporary files, which is the run's own.
  const cluster = await madeOnce("postgres-cluster", async (path) => initializeCluster(path), tmpdir())
  return createPostgresServer({ ...options, cluster })
}

/** The URL of the run's server; the file that keeps it is also the lock under which it is started. */
const serverUrl = async (): Promise<string> => {
  if (given !== undefined) return given
  const path = join(inject("runFolder"), "postgres-url")
  for (;;) {
    if (existsSync(path)) return readFileSync(path, "utf8")
    try {
      mkdirSync(`${path}.lock`)
    } catch {
      await sleep(50)
      continue
    }
    try {
      if (existsSync(path)) continue
      // Each test has a database of its own: a worker would look into one of them every second. No test waits for that.
      const server = await startPostgres({
        watchedPid: inject("runPid"),
        settings: isThorough ? {} : { autovacuum: "off" }
      })
      writeFileSync(`${path}.part`, server.url())
      renameSync(`${path}.part`, path)
    } finally {
      rmdirSync(`${path}.lock`)
    }
  }
}

/** Runs one statement as the owner of the server. */
const administer = async (statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: await serverUrl() })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Makes an empty database and answers its URL. */
export const newDatabase = async (): Promise<string> => {
  const name = `test_${randomUUID().replaceAll("-", "")}`
  await administer(`CREATE DATABASE ${name}`)
  const url = new URL(await serverUrl())
  url.pathname = `/${name}`
  return url.href
}

/** Makes a database as another one is now, which nobody may be connected to, and answers its URL. */
export const copyOfDatabase = async (of: string): Promise<string> => {
  const name = `test_${randomUUID().replaceAll("-", "")}`
  await administer(`CREATE DATABASE ${name} TEMPLATE ${new URL(of).pathname.slice(1)}`)
  const url = new URL(of)
  url.pathname = `/${name}`
  return url.href
}
