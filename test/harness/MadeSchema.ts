/**
 * The tables of a store on Postgres with nothing in them, made at once from `schema.sql`: migrations from the first on take ten times as
 * long. That both make the same is a test of the schema.
 */
import { newestMigration } from "@lead-signals/store-postgres/internal"
import { readFileSync, writeFileSync } from "node:fs"
import pg from "pg"
import { madeOnce } from "./MadeOnce.ts"
import { copyOfDatabase, newDatabase } from "./Postgres.ts"

const statements = readFileSync(
  new URL("../../packages/store-postgres/src/schema/schema.sql", import.meta.url),
  "utf8"
)

/** Makes the tables in a schema of that name, which the database does not have yet. */
export const makeSchema = async (url: string, schema: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`${statements.replaceAll(/\blead_signals(?=[.;])/g, schema)};
      INSERT INTO ${schema}.migration (id, name, min_version)
        SELECT id, 'made at once', 1 FROM generate_series(1, ${newestMigration}) id`)
  } finally {
    await client.end()
  }
}

/** Makes a database that a store has been opened over before, with nothing in its tables, and answers its URL. */
export const migratedDatabase = async (): Promise<string> => {
  const template = await madeOnce("postgres-template", async (path) => {
    const url = await newDatabase()
    await makeSchema(url, "lead_signals")
    writeFileSync(path, url)
  })
  return copyOfDatabase(readFileSync(template, "utf8"))
}
