/** Statements over tables of a brand's records, as functions of a connection. */
import { StoreUnavailable } from "@lead-signals/domain"
import { idOf } from "@lead-signals/sql-rows"
import { Option } from "effect"
import type { Connection, Param } from "../connection/Connection.ts"
import { readEncryption } from "../schema/EncryptionState.ts"
import type { StoreKeys } from "../sealing/StoreKeys.ts"
import { holdEncryptionKey } from "../writes/Locks.ts"

/** What a row stands for; secrets of it can be wrapped under the keys. */
type RowReader<Row, A> = (row: Row, keys: StoreKeys | null) => A

/** Every row of a query. */
export const readAll =
  <Row, A>(of: RowReader<Row, A>, text: string, params: ReadonlyArray<Param>) =>
  async (sql: Connection): Promise<ReadonlyArray<A>> =>
    (await sql.all<Row>(text, params)).map((row) => of(row, sql.keys))

/** The first row of a query, or of an `UPDATE … RETURNING`; none where there is no row. */
export const readFirst =
  <Row, A>(of: RowReader<Row, A>, text: string, params: ReadonlyArray<Param>) =>
  async (sql: Connection): Promise<Option.Option<A>> =>
    Option.map(Option.fromNullable(await sql.get<Row>(text, params)), (row) => of(row, sql.keys))

/** The row of an `INSERT … RETURNING`, which returns exactly one. */
export const readOne =
  <Row, A>(of: RowReader<Row, A>, text: string, params: ReadonlyArray<Param>) =>
  async (sql: Connection): Promise<A> =>
    of((await sql.get<Row>(text, params))!, sql.keys)

/** Creates something in a brand. Fails with `StoreUnavailable` when the brand is missing or being deleted. */
export const createInBrand =
  <A>(brandId: string, create: (sql: Connection) => Promise<A>) =>
  async (sql: Connection): Promise<A> => {
    // What is created may wrap a secret.
    await holdEncryptionKey(sql)
    // The beginning of a deletion waits for the lock, and finds what is created here.
    const brand = await sql.get(
      "SELECT 1 FROM lead_signals.brand WHERE id = $1 AND deletion_started_at IS NULL FOR SHARE",
      [idOf(brandId)]
    )
    if (brand === undefined) throw new StoreUnavailable({ reason: "the brand is being deleted" })
    return create(sql)
  }

/** The next id of the table, which a secret of the row is bound to. */
export const nextId = async (sql: Connection, table: "brand" | "webhook"): Promise<number> =>
  (await sql.get<{ readonly id: number }>(`SELECT nextval('lead_signals.${table}_id_seq') AS id`))!.id

/** The secret as it is stored: wrapped in an encrypted database. */
export const wrappedSecret = async (sql: Connection, secret: string, context: string): Promise<string> => {
  await holdEncryptionKey(sql)
  if (sql.keys === null) return secret
  const state = await readEncryption(sql)
  return sql.keys.wrapSecret(state!.key_id, secret, context)
}
