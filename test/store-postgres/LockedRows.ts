/** Which rows and advisory locks the transaction of one node holds, as another session can tell. */
import { coveredBy, lockOrder } from "@lead-signals/store-postgres/internal"
import type pg from "pg"

export type Table = (typeof lockOrder)[number] | keyof typeof coveredBy

/** A row by its key, as JSON; of a table that others cover, by the key of the row that covers it. */
export interface LockedRow {
  readonly table: Table
  readonly key: string
}

const inBrand = "t.brand_id = $1"

/** The key of each table's rows, in the order in which they are locked, and which rows are the brand's. */
const keys: Readonly<Record<Exclude<Table, "advisory">, readonly [columns: string, where: string]>> = {
  idempotency_record: ["t.id", "t.id = 'key of ' || $1::bigint"],
  pruning: ["t.id", "$1::bigint > 0"],
  brand: ["t.id", "t.id = $1"],
  webhook: ["t.id", inBrand],
  lead: ["t.id", inBrand],
  delivery: ["t.seq", inBrand],
  suppression: ["t.hash", inBrand],
  person_key: ["t.person", inBrand],
  rate_window: ["t.key_id", "t.key_id IN (SELECT k.id FROM lead_signals.api_key k WHERE k.brand_id = $1)"],
  api_key: ["t.id", inBrand],
  signal: ["t.id", inBrand],
  campaign: ["t.id", inBrand],
  brand_version: ["t.brand_id", inBrand],
  delivery_count: ["t.webhook_id, t.state", inBrand],
  lead_text: ["t.lead_id", inBrand],
  lead_signal: ["t.lead_id", inBrand],
  event: ["t.lead_id", inBrand],
  engagement: ["t.lead_id", inBrand],
  delivery_body: ["t.seq", inBrand],
  attempt: ["t.delivery_seq", inBrand],
  reading: ["t.campaign_id", inBrand],
  lead_count: ["t.brand_id", inBrand],
  lead_bucket: ["t.brand_id", inBrand],
  changed_lead: ["t.lead_id", inBrand]
}

const inSchema = (text: string, schema: string): string => text.replaceAll("lead_signals.", `${schema}.`)

const heldSql = (schema: string): string => {
  const tables = Object.entries(keys)
  const free = tables.map(
    ([table, [, where]]) =>
      `free_${table} AS MATERIALIZED (SELECT t.ctid FROM lead_signals.${table} t WHERE ${where} FOR UPDATE SKIP LOCKED)`
  )
  const held = tables.map(
    ([table, [columns, where]]) =>
      `SELECT '${table}' AS "table", json_build_array(${columns})::text AS key FROM lead_signals.${table} t
       WHERE ${where} AND NOT EXISTS (SELECT 1 FROM free_${table} f WHERE f.ctid = t.ctid)`
  )
  // Keys of advisory locks are signed.
  const advisory = `SELECT 'advisory', ((l.classid::bigint << 32) | l.objid::bigint)::text FROM pg_locks l
    JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND a.application_name = $2`
  return inSchema(`WITH ${free.join(", ")} ${held.join(" UNION ALL ")} UNION ALL ${advisory}`, schema)
}

/** What is locked now of the brand, and by the node of this name. Two rows of one key are one. */
export const lockedRows = async (
  admin: pg.Client,
  schema: string,
  { brandId, node }: { readonly brandId: string; readonly node: string }
): Promise<ReadonlyArray<LockedRow>> => {
  const { rows } = await admin.query<LockedRow>({
    name: `held in ${schema}`,
    text: heldSql(schema),
    values: [brandId, node]
  })
  return rows
}

/** The keys of a table's rows of the brand in their order. */
export const keysInOrder = async (
  admin: pg.Client,
  schema: string,
  table: Exclude<Table, "advisory">,
  brandId: string
): Promise<ReadonlyArray<string>> => {
  const [columns, where] = keys[table]
  const text = `SELECT json_build_array(${columns})::text AS key FROM lead_signals.${table} t WHERE ${where} ORDER BY ${columns}`
  const { rows } = await admin.query<{ readonly key: string }>(inSchema(text, schema), [brandId])
  return rows.map(({ key }) => key)
}

const byKey = ([columns, where]: readonly [string, string]) =>
  `${where} AND json_build_array(${columns})::text = $2`

/** Locks the row within the client's transaction. */
export const lockRow = async (
  client: pg.Client,
  schema: string,
  { key, table }: LockedRow,
  brandId: string
): Promise<void> => {
  if (table === "advisory") {
    await client.query("SELECT pg_advisory_xact_lock($1)", [key])
    return
  }
  const text = `SELECT 1 FROM lead_signals.${table} t WHERE ${byKey(keys[table])} FOR UPDATE`
  await client.query(inSchema(text, schema), [brandId, key])
}

/** A column of each table that is locked in order, which any statement may write. */
const written: Partial<Readonly<Record<Table, string>>> = {
  brand: "name",
  webhook: "url",
  lead: "name",
  delivery: "state",
  suppression: "erased_at",
  person_key: "key_id",
  rate_window: "used",
  api_key: "label",
  signal: "name",
  campaign: "name",
  brand_version: "n",
  delivery_count: "n"
}

/** Writes the rows of the brand anew in the opposite of their order, so that what reads them as they lie has them in that. */
export const reverse = async (
  admin: pg.Client,
  schema: string,
  table: Exclude<Table, "advisory">,
  brandId: string
): Promise<void> => {
  const column = written[table]
  if (column === undefined) return
  for (const key of (await keysInOrder(admin, schema, table, brandId)).toReversed()) {
    const text = `UPDATE lead_signals.${table} t SET ${column} = t.${column} WHERE ${byKey(keys[table])}`
    await admin.query(inSchema(text, schema), [brandId, key])
  }
}

/** The place of a row: that of its table, and its own within it. */
export const placeOf = (order: ReadonlyMap<Table, ReadonlyArray<string>>, { key, table }: LockedRow) => {
  const of = lockOrder.indexOf(table as (typeof lockOrder)[number])
  return table === "advisory"
    ? { of, within: BigInt(key) }
    : { of, within: BigInt((order.get(table) ?? []).indexOf(key)) }
}
