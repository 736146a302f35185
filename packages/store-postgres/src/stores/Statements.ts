/** Statements over tables of a brand's records, as functions of a connection. */
import { StoreUnavailable } from "@lead-signals/domain"
import { Option } from "effect"
import type { Connection, Param } from "../connection/Connection.ts"
import { idOf } from "../rows/Ids.ts"

/** Every row of a query. */
export const readAll =
  <Row, A>(of: (row: Row) => A, text: string, params: ReadonlyArray<Param>) =>
  async (sql: Connection): Promise<ReadonlyArray<A>> =>
    (await sql.all<Row>(text, params)).map(of)

/** The first row of a query, or of an `UPDATE … RETURNING`; none where there is no row. */
export const readFirst =
  <Row, A>(of: (row: Row) => A, text: string, params: ReadonlyArray<Param>) =>
  async (sql: Connection): Promise<Option.Option<A>> =>
    Option.map(Option.fromNullable(await sql.get<Row>(text, params)), of)

/** The row of an `INSERT … RETURNING`, which returns exactly one. */
export const readOne =
  <Row, A>(of: (row: Row) => A, text: string, params: ReadonlyArray<Param>) =>
  async (sql: Connection): Promise<A> =>
    of((await sql.get<Row>(text, params))!)

/** Creates something in a brand. Fails with `StoreUnavailable` when the brand is missing or being deleted. */
export const createInBrand =
  <A>(brandId: string, create: (sql: Connection) => Promise<A>) =>
  async (sql: Connection): Promise<A> => {
    // The beginning of a deletion waits for the lock, and finds what is created here.
    const brand = await sql.get(
      "SELECT 1 FROM lead_signals.brand WHERE id = $1 AND deletion_started_at IS NULL FOR SHARE",
      [idOf(brandId)]
    )
    if (brand === undefined) throw new StoreUnavailable({ reason: "the brand is being deleted" })
    return create(sql)
  }
