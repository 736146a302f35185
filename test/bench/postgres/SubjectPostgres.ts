/** The benchmark's data in the product's own schema on Postgres: the same leads as in its file and in the reference's tables. */
import * as PostgresStore from "@lead-signals/store-postgres"
import { defaults, gramsOf, rebuildDerivedTables, searchTextsOf } from "@lead-signals/store-postgres/internal"
import { Effect, Layer } from "effect"
import pg from "pg"
import type { Progress, Row } from "../BulkLoad.ts"
import * as Data from "../Data.ts"
import { caughtRows, engagementColumns, engagementRows, leadValues, smallTables } from "../SubjectDatabase.ts"
import { copyIn } from "./CopyIn.ts"

/** The id of bigint among the types of Postgres. */
const int8 = 20

/** What Postgres generates itself, or lacks. */
const derived = new Set(["score_missing", "score_rank", "score_rank_desc"])

function* leadRows(timeline: Data.Timeline): Generator<Row> {
  const values = leadValues.filter(([column]) => !derived.has(column)).map(([, value]) => value)
  for (const lead of Data.leadFacts(timeline)) yield values.map((value) => value(lead))
}

function* textRows(timeline: Data.Timeline): Generator<Row> {
  for (const { brandId, id, person } of Data.leadFacts(timeline)) {
    const { headline, name } = searchTextsOf(person.name, person.headline)
    yield [brandId, id, name, headline, `{${gramsOf(brandId, [name, headline]).join(",")}}`]
  }
}

interface SchemaIndex {
  readonly name: string
  readonly definition: string
}

/** Drops the indexes that no constraint needs; answers what puts them back. */
const setAside = async (client: pg.Client): Promise<ReadonlyArray<string>> => {
  const { rows } = await client.query<SchemaIndex>(
    `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'lead_signals' AND NOT EXISTS (SELECT 1 FROM pg_constraint o WHERE o.conindid = i.indexrelid)`
  )
  for (const { name } of rows) await client.query(`DROP INDEX lead_signals.${name}`)
  return rows.map(({ definition }) => definition)
}

/** Fills an empty database. */
export const makeSubjectPostgres = async (url: string, leads: number, progress: Progress): Promise<void> => {
  await Effect.runPromise(Effect.scoped(Effect.asVoid(Layer.build(PostgresStore.layer({ url })))))
  const timeline = Data.timeline(leads)
  pg.types.setTypeParser(int8, Number)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const definitions = await setAside(client)
    const into = (table: string, columns: string | ReadonlyArray<string>, rows: Iterable<Row>) =>
      copyIn(
        url,
        `lead_signals.${table}`,
        typeof columns === "string" ? columns.split(" ") : columns,
        rows,
        progress
      )
    for (const { columns, rows, table } of smallTables())
      await (table === "reading"
        ? into(
            table,
            ["brand_id", ...columns],
            rows.map((row) => [1, ...row])
          )
        : into(table, columns, rows))
    const columns = leadValues.map(([column]) => column).filter((column) => !derived.has(column))
    await into("lead", columns, leadRows(timeline))
    await into("lead_text", "brand_id lead_id name_key headline_key grams", textRows(timeline))
    await client.query("CREATE UNLOGGED TABLE lead_signals.caught (signal_id bigint, lead_id bigint)")
    await into("caught", "signal_id lead_id", caughtRows(timeline))
    await client.query("ANALYZE lead_signals.lead")
    await client.query(
      `INSERT INTO lead_signals.lead_signal (brand_id, signal_id, created_at, lead_id, flags)
       SELECT l.brand_id, c.signal_id, l.created_at, l.id, l.flags FROM lead_signals.caught c
       JOIN lead_signals.lead l ON l.id = c.lead_id ORDER BY 1, 2, 3, 4`
    )
    await client.query("DROP TABLE lead_signals.caught")
    const [, ...withoutSeq] = engagementColumns
    const rowsWithoutSeq = function* (): Generator<Row> {
      for (const [, ...row] of engagementRows(timeline)) yield row
    }
    await into("engagement", withoutSeq, rowsWithoutSeq())
    await client.query("SET maintenance_work_mem = '256MB'")
    for (const definition of definitions) {
      progress.say(definition.slice(0, 60))
      await client.query(definition)
    }
    progress.say("derived tables")
    await client.query("BEGIN")
    await rebuildDerivedTables(
      {
        all: async (text, params) => (await client.query(text, [...(params ?? [])])).rows,
        get: async (text, params) => (await client.query(text, [...(params ?? [])])).rows[0],
        run: async (text, params) => (await client.query(text, [...(params ?? [])])).rowCount ?? 0,
        keys: null
      },
      defaults.maxBucketLeads
    )
    await client.query("COMMIT")
    for (const [table, column] of sequences) {
      await client.query(
        `SELECT setval(pg_get_serial_sequence('lead_signals.${table}', '${column}'), (SELECT max(${column}) FROM lead_signals.${table}))`
      )
    }
    await client.query("VACUUM ANALYZE")
  } finally {
    await client.end()
  }
}

const sequences = [
  ["brand", "id"],
  ["api_key", "id"],
  ["signal", "id"],
  ["campaign", "id"],
  ["lead", "id"]
] as const
