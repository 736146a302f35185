/**
 * The databases of the benchmark on Postgres. BENCH_DATABASE_URL names a server in which it may create databases, and keeps them from run to
 * run; without it the benchmark starts a server of its own and removes it in the end.
 */
import pg from "pg"
import { createPostgresServer } from "../../harness/PostgresServer.ts"
import type { Progress } from "../BulkLoad.ts"
import * as Data from "../Data.ts"
import { makePlainPostgres } from "../reference/PlainPostgres.ts"
import { keyOf } from "../SubjectDatabase.ts"
import { makeSubjectPostgres } from "./SubjectPostgres.ts"

/** Makes what a measurement needs, and removes it. */
export interface Databases {
  /** The URL of the data in the product's schema, or in plain tables. It is read only. */
  readonly of: (kind: "subject" | "plain", leads: number) => Promise<string>
  /** A copy to write to, and the function that removes it. */
  readonly copyOf: (url: string) => Promise<{ readonly url: string; readonly remove: () => Promise<void> }>
  /** An empty database, and the function that removes it. */
  readonly empty: () => Promise<{ readonly url: string; readonly remove: () => Promise<void> }>
  /** The server's version and the settings that figures depend on. */
  readonly facts: () => Promise<ReadonlyArray<string>>
  readonly close: () => Promise<void>
}

/** As a small dedicated machine would have it; commits wait for the disk. */
const settings = {
  shared_buffers: "512MB",
  max_wal_size: "4GB",
  effective_cache_size: "2GB",
  work_mem: "16MB"
}

/** Rejects where the server can't be reached, or may create no databases. */
export const openDatabases = async (progress: Progress): Promise<Databases> => {
  const given = process.env["BENCH_DATABASE_URL"]
  const own = given === undefined ? await createPostgresServer({ synced: true, settings }) : null
  const server = given ?? own!.url()
  const urlOf = (name: string): string => Object.assign(new URL(server), { pathname: `/${name}` }).href
  const run = async (...statements: ReadonlyArray<string>): Promise<ReadonlyArray<any>> => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    try {
      let rows: ReadonlyArray<any> = []
      for (const statement of statements) rows = (await client.query(statement)).rows
      return rows
    } finally {
      await client.end()
    }
  }
  const exists = async (name: string): Promise<boolean> =>
    (await run(`SELECT 1 FROM pg_database WHERE datname = '${name}'`)).length > 0
  const keys = new Map(Data.brandIds.map((id) => [id, keyOf(id)]))
  let copies = 0
  const named = async (statement: (name: string) => string) => {
    const name = `bench_${process.pid}_${copies++}`
    await run(statement(name))
    return { url: urlOf(name), remove: async () => void (await run(`DROP DATABASE ${name} WITH (FORCE)`)) }
  }
  return {
    of: async (kind, leads) => {
      const name = `bench_${kind}_${leads}_${Data.generatorVersion}`.toLowerCase()
      if (await exists(name)) return urlOf(name)
      const part = `${name}_part`
      await run(`DROP DATABASE IF EXISTS ${part}`, `CREATE DATABASE ${part}`)
      const startedAt = performance.now()
      const label = `${kind} on Postgres, ${leads.toLocaleString("en")} leads`
      const labelled: Progress = { say: (text) => progress.say(`making ${label}: ${text}`) }
      if (kind === "subject") await makeSubjectPostgres(urlOf(part), leads, labelled)
      else await makePlainPostgres(urlOf(part), leads, keys, labelled)
      await run(`ALTER DATABASE ${part} RENAME TO ${name}`)
      progress.say(`made ${label} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
      return urlOf(name)
    },
    copyOf: (url) => named((name) => `CREATE DATABASE ${name} TEMPLATE ${new URL(url).pathname.slice(1)}`),
    empty: () => named((name) => `CREATE DATABASE ${name}`),
    facts: async () => {
      const [{ version }] = (await run("SHOW server_version").then((rows) =>
        rows.map((row) => ({ version: row.server_version }))
      )) as [{ version: string }]
      const rows = await run(
        "SELECT name, current_setting(name) AS value FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'shared_buffers', 'max_wal_size') ORDER BY name"
      )
      return [`Postgres ${version}: ${rows.map(({ name, value }) => `${name} ${value}`).join(", ")}`]
    },
    close: async () => {
      await own?.remove()
    }
  }
}
