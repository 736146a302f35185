/** What the stores of a brand's things share: rows with an id, most of which belong to one brand. */
import { StoreUnavailable } from "@lead-signals/domain"
import { Option } from "effect"
import type { Table } from "./Journal.ts"
import type { Tables } from "./Tables.ts"

interface Owned {
  readonly id: string
  readonly brandId: string
}

/** Rows in the order of their creation. */
export const inOrder = <A extends { readonly id: string }>(rows: ReadonlyArray<A>): ReadonlyArray<A> =>
  [...rows].sort((a, b) => Number(a.id) - Number(b.id))

/** The brand's rows, in the order of their creation. */
export const ofBrand = <A extends Owned>(table: Table<A>, brandId: string): ReadonlyArray<A> =>
  inOrder(table.all().filter((row) => row.brandId === brandId))

/** The row with the id; none where it is unknown or another brand's. */
export const find = <A extends Owned>(table: Table<A>, brandId: string, id: string): Option.Option<A> =>
  Option.filter(Option.fromNullable(table.get(id)), (row) => row.brandId === brandId)

/** Adds a row with the next id of the sequence. */
export const create = <A extends { readonly id: string }>(
  tables: Tables,
  table: Table<A>,
  sequence: string,
  row: Omit<A, "id">
): A => {
  const created = { ...row, id: String(tables.next(sequence)) } as A
  return table.put(created.id, created)
}

/** Adds a row of a brand. Throws `StoreUnavailable` when the brand is being deleted. */
export const createFor = <A extends Owned>(
  tables: Tables,
  table: Table<A>,
  sequence: string,
  row: Omit<A, "id">
): A => {
  if (tables.brands.get(row.brandId as string)?.deletionStartedAt !== null)
    throw new StoreUnavailable({ reason: "the brand is being deleted" })
  return create(tables, table, sequence, row)
}

/** Gives a found row another name. */
export const rename = <A extends { readonly id: string; readonly name: string }>(
  table: Table<A>,
  found: Option.Option<A>,
  name: string
): Option.Option<A> => Option.map(found, (row) => table.put(row.id, { ...row, name }))
