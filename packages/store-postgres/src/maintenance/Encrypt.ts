/** Seals the rows of a database that was not encrypted, in pieces, while no server runs on it. */
import { leadOf } from "@lead-signals/sql-rows"
import { type ElementType } from "../connection/BinaryArrays.ts"
import type { Connection, Param, Scalar } from "../connection/Connection.ts"
import {
  engagementColumns,
  leadColumns,
  type LeadRow,
  sealedLeadValues,
  writtenLeadColumns
} from "../rows/LeadRows.ts"
import { beginSealing } from "../schema/EncryptionState.ts"
import { personKeysOf, type PersonOf } from "../writes/PersonKeys.ts"
import { Params } from "../writes/Rows.ts"
import { rewrapSecrets } from "./SecretRewrap.ts"
import {
  type Fields,
  PersonHashes,
  sealEngagements,
  sealOfDeliveries,
  textOfDelivery
} from "./SealedTables.ts"
import { inTransaction } from "./Session.ts"

/** Gets the fraction done, from 0 to 1, and the step. */
export type OnProgress = (fraction: number, what: string) => void

const rowsAtOnce = 1000

/** Rows of a table that are not sealed, and how a piece of them is. */
interface Piecewise {
  readonly table: string
  readonly columns: string
  /** Which rows are left. */
  readonly unsealed: string
  readonly key: ReadonlyArray<string>
  readonly seal: (sql: Connection, rows: ReadonlyArray<Fields>) => Promise<void>
}

/** Replaces the columns of the rows with these keys, which come first. */
const replace = async (
  sql: Connection,
  table: string,
  columns: ReadonlyArray<readonly [name: string, type: ElementType]>,
  keys: number,
  rows: ReadonlyArray<ReadonlyArray<Scalar>>
): Promise<void> => {
  const params = new Params()
  const given = params.rows("u", columns, rows)
  const set = columns.slice(keys).map(([name]) => `${name} = u.${name}`)
  const on = columns.slice(0, keys).map(([name]) => `t.${name} = u.${name}`)
  await sql.run(
    `UPDATE lead_signals.${table} t SET ${set.join(", ")} FROM ${given} WHERE ${on.join(" AND ")}`,
    params.all
  )
}

const sealLeads =
  (hashes: PersonHashes) =>
  async (sql: Connection, rows: ReadonlyArray<Fields>): Promise<void> => {
    const leads = rows.map((row) => leadOf(row as LeadRow))
    const persons: Array<PersonOf> = []
    for (const [i, { extId }] of leads.entries()) {
      const brandId: number = rows[i]!["brand_id"]
      persons.push({ brandId, hash: (await hashes.of(sql, brandId))(extId) })
    }
    const keys = (await personKeysOf(sql, persons))!
    const values = leads.map((lead, i) => sealedLeadValues(lead, keys.of(persons[i]!)))
    await replace(sql, "lead", writtenLeadColumns, 2, values)
  }

/**
 * Seals a column of texts that can name people. A text about nobody stays as it is, and an attempt's goes away where the key of its person
 * is gone.
 */
const sealTexts =
  (table: "delivery_body" | "attempt", column: string) =>
  async (sql: Connection, rows: ReadonlyArray<Fields>): Promise<void> => {
    const isAttempt = table === "attempt"
    const sealed = await sealOfDeliveries(
      sql,
      rows.map((row) => textOfDelivery(table, row, row[column]))
    )
    const changed = rows.flatMap((row, i) =>
      sealed[i] === null
        ? []
        : [
            isAttempt
              ? [row["brand_id"], row["delivery_seq"], row["number"], null, sealed[i]!]
              : [row["brand_id"], row["seq"], "", sealed[i]!]
          ]
    )
    const columns = isAttempt
      ? ([
          ["brand_id", "bigint"],
          ["delivery_seq", "bigint"],
          ["number", "integer"],
          ["response", "text"],
          ["sealed", "bytea"]
        ] as const)
      : ([
          ["brand_id", "bigint"],
          ["seq", "bigint"],
          ["body", "text"],
          ["sealed", "bytea"]
        ] as const)
    await replace(sql, table, columns, isAttempt ? 3 : 2, changed)
  }

/** Leads come first: what comes later finds the hashes of persons in their rows. */
const tables = (hashes: PersonHashes): ReadonlyArray<Piecewise> => [
  {
    table: "lead",
    columns: leadColumns,
    unsealed: "l.sealed IS NULL",
    key: ["brand_id", "id"],
    seal: sealLeads(hashes)
  },
  {
    table: "engagement",
    columns: engagementColumns.map(([name]) => name).join(", "),
    unsealed: "l.sealed IS NULL AND l.post_sealed IS NULL",
    key: ["brand_id", "id"],
    seal: async (sql, rows) =>
      replace(sql, "engagement", engagementColumns, 2, await sealEngagements(sql, hashes, rows))
  },
  {
    table: "delivery_body",
    columns: "brand_id, seq, body",
    unsealed: "l.sealed IS NULL",
    key: ["brand_id", "seq"],
    seal: sealTexts("delivery_body", "body")
  },
  {
    table: "attempt",
    columns: "brand_id, delivery_seq, number, response",
    unsealed: "l.sealed IS NULL AND l.response IS NOT NULL",
    key: ["brand_id", "delivery_seq", "number"],
    seal: sealTexts("attempt", "response")
  }
]

const sealTable = async (
  sql: Connection,
  { columns, key, seal, table, unsealed }: Piecewise,
  onRows: (rows: number) => void
): Promise<void> => {
  const names = key.map((name) => `l.${name}`).join(", ")
  const places = key.map((_, i) => `$${i + 1}`).join(", ")
  let after: ReadonlyArray<Param> | null = null
  for (;;) {
    const found: ReadonlyArray<Fields> = await inTransaction(sql, async () => {
      const rows = await sql.all<Fields>(
        `SELECT ${columns} FROM lead_signals.${table} l WHERE ${unsealed}${after === null ? "" : ` AND (${names}) > (${places})`}
           ORDER BY ${names} LIMIT ${rowsAtOnce}`,
        after ?? []
      )
      if (rows.length > 0) await seal(sql, rows)
      return rows
    })
    onRows(found.length)
    const last = found.at(-1)
    if (last === undefined) return
    after = key.map((name) => last[name])
  }
}

/**
 * Seals all rows, and writes the tables anew so that no dead row has what was plain. A call that was killed is repeated. The caller keeps
 * others from the database.
 */
export const sealDatabase = async (sql: Connection, keyId: string, onProgress: OnProgress): Promise<void> => {
  await beginSealing(sql, keyId)
  await rewrapSecrets(sql, sql.keys!, keyId)
  const { n } = (await sql.get<{ n: number }>(
    "SELECT (SELECT count(*) FROM lead_signals.lead) + (SELECT count(*) FROM lead_signals.engagement) AS n"
  ))!
  let done = 0
  const all = tables(new PersonHashes())
  for (const each of all) {
    await sealTable(sql, each, (rows) => {
      done += rows
      onProgress(Math.min(0.9, (0.9 * done) / Math.max(1, n)), `sealing ${each.table} rows`)
    })
  }
  for (const table of ["brand", "webhook", ...all.map(({ table }) => table)]) {
    onProgress(0.9, `writing ${table} anew`)
    await sql.run(`VACUUM FULL lead_signals.${table}`)
  }
  await sql.run("UPDATE lead_signals.encryption SET is_complete = true WHERE id = 1")
}
