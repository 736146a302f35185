/** The database as the source or the target of a copy between stores, in the neutral form of the domain's `StoreCopy`. */
import {
  copySequences,
  copyTables,
  type CopyProgress,
  type CopyRow,
  type CopySource,
  type CopyTable,
  type CopyTarget,
  StoreUnavailable
} from "@lead-signals/domain"
import { type EncryptionKey, secretContexts } from "@lead-signals/encryption"
import { Effect, type Scope } from "effect"
import { randomBytes } from "node:crypto"
import { binaryArray } from "../connection/BinaryArrays.ts"
import type { Connection, Param, Scalar } from "../connection/Connection.ts"
import { engagementColumns } from "../rows/LeadRows.ts"
import { awaitsEncryption, encryptEmpty, isEncrypted, verifyKeys } from "../schema/EncryptionState.ts"
import { storeKeys } from "../sealing/StoreKeys.ts"
import { deriveCounters, insertLeads } from "./DerivedTables.ts"
import { newestMigration } from "../schema/Migrations.ts"
import { readVersion } from "./SchemaVersion.ts"
import {
  copiedColumns,
  type Fields,
  openCopied,
  PersonHashes,
  sealEngagements,
  sealOfDeliveries,
  textOfDelivery,
  valuesOf,
  wrapStored
} from "./SealedTables.ts"
import { attempt, inTransaction, makeTables, run, session } from "./Session.ts"

const rowsAtOnce = 2000

/** The schema of a copy that is not finished, which no server reads. `finish` renames it. */
const unfinished = "lead_signals_copy"

const rowsAfter = (sql: Connection, table: CopyTable, isFirst: boolean): string => {
  const { key, name } = table
  const places = key.map((_, i) => `$${i + 1}`).join(", ")
  return `SELECT ${copiedColumns(sql, table)} FROM lead_signals.${name}${isFirst ? "" : ` WHERE (${key.join(", ")}) > (${places})`}
    ORDER BY ${key.join(", ")} LIMIT ${rowsAtOnce}`
}

const keyOf = (table: CopyTable, row: CopyRow): CopyRow =>
  table.key.map((column) => row[table.columns.indexOf(column)]!)

async function* rowsOf(
  sql: Connection,
  table: CopyTable,
  after: CopyRow | null
): AsyncGenerator<ReadonlyArray<CopyRow>> {
  let last = after
  for (;;) {
    const text = rowsAfter(sql, table, last === null)
    const found = await run(async () => {
      const read = await sql.all<Fields>(text, last ?? [])
      await openCopied(sql, table.name, read)
      return read
    })
    if (found.length === 0) return
    const rows = found.map((row) => valuesOf(table, row))
    last = keyOf(table, rows.at(-1)!)
    yield rows
    if (found.length < rowsAtOnce) return
  }
}

const schemaExists = async (sql: Connection, schema: string): Promise<boolean> =>
  (await sql.get("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema])) !== undefined

/** Waits at most so long for transactions that write. */
const lockWait = "SET LOCAL lock_timeout = '15s'"

/**
 * Opens the database to be copied. Until the scope ends other sessions can read and not write it. Fails with `StoreUnavailable`, also for
 * another key than the database's. [STORE-10]
 */
export const copySource = (
  url: string,
  encryptionKey?: EncryptionKey
): Effect.Effect<CopySource, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const opened = yield* session(url, "lead_signals", storeKeys(encryptionKey))
    const sql = yield* attempt(async () => {
      const sql = opened
      const version = await readVersion(sql)
      // A newer schema that this version can serve has columns that the copy would lose.
      if (version !== newestMigration) {
        const advice =
          version < newestMigration
            ? "start a server of this version on it once"
            : "copy it with that newer version"
        throw new StoreUnavailable({
          reason: `the database has schema version ${version} and this program has ${newestMigration}; ${advice}`
        })
      }
      // The key that is given can be that of the target alone.
      const source = (await isEncrypted(sql)) ? sql : { ...sql, keys: null }
      await verifyKeys(source)
      await sql.run("BEGIN")
      await sql.run(lockWait)
      const tables = copyTables.map(({ name }) => `lead_signals.${name}`).join(", ")
      await sql.run(`LOCK TABLE ${tables} IN SHARE MODE`)
      return source
    })
    return {
      rows: (table, after) => rowsOf(sql, table, after),
      lastNumbers: () =>
        run(async () => {
          const given: Record<string, number> = {}
          for (const [name, column] of Object.entries(copySequences)) {
            const { sequence } = (await sql.get<{ sequence: string }>(
              `SELECT pg_get_serial_sequence('lead_signals.${name}', '${column}') AS sequence`
            ))!
            const { last } = (await sql.get<{ last: number }>(
              `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM ${sequence}`
            ))!
            given[name] = last
          }
          return given
        }),
      count: ({ name }) =>
        run(async () =>
          Number((await sql.get<{ n: number }>(`SELECT count(*) AS n FROM lead_signals.${name}`))!.n)
        )
    }
  })

/** Whether the unfinished copy has all its tables: `copy_progress` is created after the others. */
const hasAllTables = async (sql: Connection): Promise<boolean> =>
  (await sql.get<{ readonly has_all: boolean }>(
    "SELECT to_regclass('lead_signals.copy_progress') IS NOT NULL AS has_all"
  ))!.has_all

/** Removes an unfinished copy from the database. Fails with `StoreUnavailable`. */
export const removeUnfinishedCopy = (url: string): Effect.Effect<void, StoreUnavailable> =>
  Effect.scoped(
    Effect.flatMap(session(url, unfinished), (sql) =>
      attempt(async () => void (await sql.run(`DROP SCHEMA IF EXISTS ${unfinished} CASCADE`)))
    )
  )

/** The types of the columns of a table, for the arrays that hold its rows. */
const typesOf = async (sql: Connection, table: CopyTable): Promise<ReadonlyMap<string, string>> =>
  new Map(
    (
      await sql.all<{ name: string; type: string }>(
        `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
         WHERE attrelid = 'lead_signals.${table.name}'::regclass AND attnum > 0 AND NOT attisdropped`
      )
    ).map(({ name, type }) => [name, type])
  )

/** The table and rows as an encrypted database has them. */
const sealedRows = async (
  sql: Connection,
  table: CopyTable,
  rows: ReadonlyArray<CopyRow>,
  hashes: PersonHashes
): Promise<readonly [Pick<CopyTable, "name" | "columns">, ReadonlyArray<ReadonlyArray<Scalar>>]> => {
  const { columns, name } = table
  const fields = rows.map((row): Fields =>
    Object.fromEntries(columns.map((column, i) => [column, row[i]!] as const))
  )
  const withSealed = { name, columns: [...columns, "sealed"] }
  switch (name) {
    case "engagement":
      return [
        { name, columns: engagementColumns.map(([column]) => column) },
        await sealEngagements(sql, hashes, fields)
      ]
    case "brand":
    case "webhook":
      for (const row of fields) {
        const column = name === "brand" ? "suppression_secret" : "secrets"
        const context =
          name === "brand"
            ? secretContexts.suppression(row["id"])
            : secretContexts.webhook(row["brand_id"], row["id"])
        row[column] = await wrapStored(sql, row[column], context)
      }
      return [table, fields.map((row) => valuesOf(table, row))]
    case "delivery_body":
    case "attempt": {
      const column = name === "attempt" ? "response" : "body"
      const withText = fields.filter((row) => row[column] !== null)
      const sealed = await sealOfDeliveries(
        sql,
        withText.map((row) => textOfDelivery(name, row, row[column]))
      )
      for (const [i, row] of withText.entries()) {
        row["sealed"] = sealed[i]!
        if (sealed[i] !== null) row[column] = name === "attempt" ? null : ""
      }
      return [withSealed, fields.map((row) => withSealed.columns.map((each) => row[each] ?? null))]
    }
    default:
      return [table, rows]
  }
}

const insertAll = async (
  sql: Connection,
  table: Pick<CopyTable, "name" | "columns">,
  types: ReadonlyMap<string, string>,
  rows: ReadonlyArray<ReadonlyArray<Scalar>>
): Promise<void> => {
  const arrays = table.columns.map((column, i) => `$${i + 1}::${types.get(column)!}[]`)
  await sql.run(
    `INSERT INTO lead_signals.${table.name} (${table.columns.join(", ")}) OVERRIDING SYSTEM VALUE
     SELECT * FROM unnest(${arrays.join(", ")})`,
    table.columns.map((column, i) => {
      const values = rows.map((row) => row[i]!)
      return types.get(column) === "bytea" ? binaryArray("bytea", values) : values
    }) as ReadonlyArray<Param>
  )
}

/** Fails while servers run on the database. */
export const refuseServed = async (sql: Connection): Promise<void> => {
  const { served } = (await sql.get<{ served: number }>(
    "SELECT count(*)::integer AS served FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'lead-signals'"
  ))!
  if (served > 0) {
    throw new StoreUnavailable({
      reason: `servers are running on the database (${served} connections); stop them first`
    })
  }
}

/** Fails when the database has something in the place where the copy goes. */
const refuseOccupied = async (sql: Connection): Promise<void> => {
  if (await schemaExists(sql, "lead_signals")) {
    const brand = await sql.get(`SELECT 1 FROM "lead_signals"."brand" LIMIT 1`)
    if (brand !== undefined) {
      throw new StoreUnavailable({
        reason: "the database has brands already; name one without, or drop its schema lead_signals"
      })
    }
  }
  await refuseServed(sql)
}

/** Makes what is derived from the copied rows, and begins what a copy has of its own. */
const completeRows = async (
  sql: Connection,
  lastNumbers: Readonly<Record<string, number>>
): Promise<void> => {
  await deriveCounters(sql)
  for (const [name, last] of Object.entries(lastNumbers)) {
    if (last === 0) continue
    await sql.run(
      `SELECT setval(pg_get_serial_sequence('lead_signals.${name}', '${copySequences[name]}'), $1)`,
      [last]
    )
  }
  // Nothing is known of removals before the copy: readers of changes begin anew. [CHG-5]
  await sql.run("UPDATE lead_signals.brand SET change_epoch = $1", [randomBytes(8).toString("hex")])
  await sql.run(
    `INSERT INTO lead_signals.changed_lead (brand_id, lead_id, position)
     SELECT l.brand_id, l.id, l.id - 1 - max(l.id) OVER () FROM lead_signals.lead l WHERE NOT EXISTS (
       SELECT 1 FROM lead_signals.event e WHERE e.brand_id = l.brand_id AND e.lead_id = l.id)`
  )
  // What the source had pruned is not known: nobody goes on after an event of before the copy.
  await sql.run("UPDATE lead_signals.pruning SET newest_event = $1 WHERE id = 1", [lastNumbers["event"] ?? 0])
}

/**
 * Opens a database without brands, or with an unfinished copy, to be filled. Fails with `StoreUnavailable`, when servers run on the database,
 * too. [STORE-10]
 */
export const copyTarget = (
  url: string,
  encryptionKey?: EncryptionKey
): Effect.Effect<CopyTarget, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const keys = storeKeys(encryptionKey)
    const sql = yield* session(url, unfinished, keys)
    const hashes = new PersonHashes()
    const types = new Map<string, ReadonlyMap<string, string>>()
    yield* attempt(async () => {
      await refuseOccupied(sql)
      // A copy that was killed may have left a schema without its tables.
      if (!(await hasAllTables(sql))) await makeTables(url, unfinished)
      if (await awaitsEncryption(sql)) await inTransaction(sql, () => encryptEmpty(sql))
      await verifyKeys(sql)
      await sql.run(
        "CREATE TABLE IF NOT EXISTS lead_signals.copy_progress (id integer PRIMARY KEY, progress text NOT NULL)"
      )
      for (const table of copyTables) types.set(table.name, await typesOf(sql, table))
    })
    const progressText = async (): Promise<string | undefined> =>
      (
        await sql.get<{ progress: string }>(
          "SELECT progress FROM lead_signals.copy_progress WHERE id = 1 FOR UPDATE"
        )
      )?.progress
    let known = yield* attempt(progressText)
    return {
      progress: () => Promise.resolve(known === undefined ? null : (JSON.parse(known) as CopyProgress)),
      write: (table, rows, progress) =>
        run(async () => {
          const text = JSON.stringify(progress)
          await inTransaction(sql, async () => {
            if ((await progressText()) !== known) {
              throw new StoreUnavailable({ reason: "another process copies into the database" })
            }
            if (table.name === "lead") await insertLeads(sql, table, rows, hashes)
            else {
              const [of, values] = keys === null ? [table, rows] : await sealedRows(sql, table, rows, hashes)
              await insertAll(sql, of, types.get(table.name)!, values)
            }
            await sql.run(
              "INSERT INTO lead_signals.copy_progress VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET progress = excluded.progress",
              [text]
            )
          })
          known = text
        }),
      rows: (table, after) => rowsOf(sql, table, after),
      finish: (lastNumbers) =>
        run(() =>
          inTransaction(sql, async () => {
            await completeRows(sql, lastNumbers)
            await sql.run("DROP TABLE lead_signals.copy_progress")
            await refuseOccupied(sql)
            await sql.run(`DROP SCHEMA IF EXISTS "lead_signals" CASCADE`)
            await sql.run(`ALTER SCHEMA ${unfinished} RENAME TO "lead_signals"`)
          })
        )
    }
  })
