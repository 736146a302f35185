/** Statements over tables of a brand's records, as functions of a connection. */
import { StoreUnavailable } from "@lead-signals/domain"
import { Option } from "effect"
import type { Connection, Param } from "../connection/Connection.ts"
import { idOf } from "@lead-signals/sql-rows"

/** Every row of a query. */
export const readAll =
  <Row extends object, A>(of: (row: Row) => A, text: string, params: ReadonlyArray<Param>) =>
  (sql: Connection): ReadonlyArray<A> =>
    sql.all<Row>(text, params).map(of)

/** The first row of a query, or of an `UPDATE … RETURNING`; none where there is no row. */
export const readFirst =
  <Row extends object, A>(of: (row: Row) => A, text: string, params: ReadonlyArray<Param>) =>
  (sql: Connection): Option.Option<A> =>
    Option.map(Option.fromNullable(sql.get<Row>(text, params)), of)

/** The row of an `INSERT … RETURNING`, which returns exactly one. */
export const readOne =
  <Row extends object, A>(of: (row: Row) => A, text: string, params: ReadonlyArray<Param>) =>
  (sql: Connection): A =>
    of(sql.get<Row>(text, params)!)

/** Renames one row of the table that is not deleted; none where there is no such row. */
export const rename =
  <Row extends object, A>(
    of: (row: Row) => A,
    table: "brand" | "signal" | "campaign",
    name: string,
    where: string,
    params: ReadonlyArray<Param>
  ) =>
  (sql: Connection): Option.Option<A> =>
    readFirst(of, `UPDATE ${table} SET name = ? WHERE ${where} AND deleted_at IS NULL RETURNING *`, [
      name,
      ...params
    ])(sql)

/** Creates something in a brand. Fails with `StoreUnavailable` when the brand is missing or being deleted. */
export const createInBrand =
  <A>(brandId: string, create: (sql: Connection) => A) =>
  (sql: Connection): A => {
    const brand = sql.get("SELECT 1 FROM brand WHERE id = ? AND deletion_started_at IS NULL", [idOf(brandId)])
    if (brand === undefined) throw new StoreUnavailable({ reason: "the brand is being deleted" })
    return create(sql)
  }
