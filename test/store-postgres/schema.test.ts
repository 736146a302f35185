/** The schema: `schema.sql` is what the migrations come to, and migrations survive other nodes, kills and other versions. */
import * as PostgresStore from "@lead-signals/store-postgres"
import { newestMigration } from "@lead-signals/store-postgres/internal"
import { Effect, Exit, Layer, ManagedRuntime } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import pg from "pg"
import { beforeAll, describe, expect, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { catalogOf } from "../upgrades/PostgresCatalog.ts"
import { newSchema, sharedDatabase } from "./Databases.ts"

type Migration = NonNullable<PostgresStore.PostgresStoreOptions["migrations"]>[number]

describe.skipIf(isWithoutPostgres)("the schema on Postgres", () => {
  let url: string
  beforeAll(async () => {
    url = await sharedDatabase()
  })

  const query = async (text: string, values: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<any>> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (values.length === 0 ? await client.query(text) : await client.query(text, [...values])).rows
    } finally {
      await client.end()
    }
  }
  const layer = (schema: string, migrations?: ReadonlyArray<Migration>) =>
    PostgresStore.layer({
      url,
      schema,
      notifications: false,
      maxConnections: 2,
      ...(migrations === undefined ? {} : { migrations })
    })
  const open = (schema: string, migrations?: ReadonlyArray<Migration>) =>
    Effect.runPromiseExit(Effect.scoped(Layer.build(layer(schema, migrations))))
  const catalog = (schema: string) => catalogOf(query, schema)

  it("is in schema.sql what the migrations come to", async () => {
    const [written, migrated] = [newSchema(), newSchema()]
    const path = new URL("../../packages/store-postgres/src/schema/schema.sql", import.meta.url)
    await query(readFileSync(path, "utf8").replaceAll(/\blead_signals(?=[.;])/g, written))
    expect(Exit.isSuccess(await open(migrated))).toBe(true)
    expect(await catalog(migrated)).toEqual(await catalog(written))
  })

  it("is made once when several nodes start on an empty database at once", async () => {
    const schema = newSchema()
    const exits = await Promise.all(Array.from({ length: 4 }, () => open(schema)))
    expect(exits.every(Exit.isSuccess)).toBe(true)
    const rows = await query(`SELECT id FROM ${schema}.migration`)
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: newestMigration }, (_, i) => i + 1))
  })

  const first: Migration = {
    name: "first",
    minVersion: 1,
    statements: "CREATE TABLE lead_signals.brand (id bigint)"
  }
  const expand: Migration = {
    name: "expand",
    minVersion: 1,
    statements: "ALTER TABLE lead_signals.brand ADD COLUMN added bigint",
    indexes: {}
  }
  const contract: Migration = {
    name: "contract",
    minVersion: 3,
    statements: "ALTER TABLE lead_signals.brand DROP COLUMN added"
  }
  const indexed: Migration = {
    name: "indexed",
    minVersion: 1,
    indexes: { brand_by_added: "CREATE INDEX CONCURRENTLY brand_by_added ON lead_signals.brand (id)" }
  }

  it("of a newer version that only added serves an older node; one that removed refuses it with a clear line", async () => {
    const schema = newSchema()
    for (const known of [[first, expand], [first], [first, expand, contract]]) {
      expect(Exit.isSuccess(await open(schema, known))).toBe(true)
    }
    const refused = await open(schema, [first, expand])
    expect(String(refused)).toMatch(
      /is of a newer version of Lead Signals \(3, this one knows 2\): use that version/
    )
    expect(Exit.isSuccess(await open(schema, [first, expand, contract]))).toBe(true)
  })

  it("is migrated by one step or not at all when a statement of it fails", async () => {
    const schema = newSchema()
    const broken: Migration = {
      name: "broken",
      minVersion: 1,
      statements: "CREATE TABLE lead_signals.half (id bigint); SELECT no_such_function()"
    }
    expect(Exit.isFailure(await open(schema, [first, broken]))).toBe(true)
    expect(await query(`SELECT id FROM ${schema}.migration`)).toEqual([{ id: 1 }])
    expect(await query("SELECT to_regclass($1) AS half", [`${schema}.half`])).toEqual([{ half: null }])
    expect(Exit.isSuccess(await open(schema, [first, expand]))).toBe(true)
  })

  it("builds an index again that a killed node left half built", async () => {
    const schema = newSchema()
    await open(schema, [first])
    await query(`CREATE INDEX brand_by_added ON ${schema}.brand (id)`)
    await query(
      "UPDATE pg_index SET indisvalid = false FROM pg_class c, pg_namespace n WHERE c.oid = indexrelid AND n.oid = c.relnamespace AND c.relname = 'brand_by_added' AND n.nspname = $1",
      [schema]
    )
    expect(Exit.isSuccess(await open(schema, [first, indexed]))).toBe(true)
    const valid = await query(
      "SELECT indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relname = 'brand_by_added' AND n.nspname = $1",
      [schema]
    )
    expect(valid).toEqual([{ indisvalid: true }])
  })

  it("builds an index again that waited in a circle with another transaction", async () => {
    const schema = newSchema()
    await open(schema, [first])
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    // The build looks for circles first, and is the one that gives up.
    await client.query("SET deadlock_timeout = '1min'")
    await client.query(`BEGIN; INSERT INTO ${schema}.brand VALUES (1)`)
    const opened = open(schema, [first, indexed])
    const waiting =
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'"
    while ((await query(waiting)).length === 0);
    await client.query(`LOCK TABLE ${schema}.brand IN SHARE UPDATE EXCLUSIVE MODE; COMMIT`)
    await client.end()
    expect(Exit.isSuccess(await opened)).toBe(true)
    const valid = await query("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)", [
      `${schema}.brand_by_added`
    ])
    expect(valid).toEqual([{ indisvalid: true }])
  })

  it("is migrated by the next node when the one that migrates is killed in the middle", async () => {
    const schema = newSchema()
    // A process that migrates, and sleeps within its second step for ever.
    const program = `
      const pg = require(${JSON.stringify(createRequire(import.meta.url).resolve("pg"))})
      const client = new pg.Client({ connectionString: ${JSON.stringify(url)} })
      client.connect().then(async () => {
        await client.query("SELECT pg_advisory_lock(hashtextextended('lead-signals migration ${schema}', 0))")
        await client.query("CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.migration (id integer PRIMARY KEY, name text, min_version integer, applied_at timestamptz DEFAULT now())")
        await client.query("BEGIN; CREATE TABLE ${schema}.brand (id bigint)")
        console.log("begun")
        await client.query("SELECT pg_sleep(600)")
      })`
    const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] })
    await once(child.stdout!, "data")
    const waiting: Array<string> = []
    const opened = Effect.runPromiseExit(
      Effect.scoped(
        Layer.build(
          PostgresStore.layer({
            url,
            schema,
            notifications: false,
            maxConnections: 2,
            migrations: [first, expand],
            onMigrating: ({ doing }) => {
              waiting.push(doing)
              if (doing.startsWith("waiting")) child.kill("SIGKILL")
            }
          })
        )
      )
    )
    const terminate = setInterval(() => {
      // Until the next node waits, the first one migrates.
      if (waiting.length === 0) return
      // The server notices a client that is gone when it answers it; here it sleeps.
      void query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'"
      )
    }, 200)
    expect(Exit.isSuccess(await opened)).toBe(true)
    clearInterval(terminate)
    expect(waiting[0]).toBe("waiting for another node that migrates the database")
    expect((await query(`SELECT id FROM ${schema}.migration ORDER BY id`)).map(({ id }) => id)).toEqual([
      1, 2
    ])
  })

  it("refuses a schema with tables of another program", async () => {
    const schema = newSchema()
    await query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.theirs (id bigint)`)
    expect(String(await open(schema))).toMatch(/holds tables of another program: name another schema/)
    expect(await query(`SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = $1`, [schema])).toEqual([
      { n: 1 }
    ])
  })

  it("is not migrated where a node may not, which says so", async () => {
    const runtime = ManagedRuntime.make(
      PostgresStore.layer({ url, schema: newSchema(), notifications: false, migrates: false })
    )
    const exit = await runtime.runPromiseExit(Effect.void)
    expect(String(exit)).toMatch(/a table is missing in the database|the schema does not exist/)
    await runtime.dispose()
  })
})
