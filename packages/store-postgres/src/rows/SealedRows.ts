/** Opens the sealed values of rows, and makes them. A row whose key is gone keeps what is not sealed. [PII-4] */
import { StoreUnavailable } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"
import { keyIdsOf, openWith, type PersonKey, sealFor } from "../sealing/SealedValue.ts"
import type { WrappedPersonKey } from "../sealing/StoreKeys.ts"

/** A column of type bytea: as itself, or as JSON has it. */
export type SealedColumn = Buffer | string | null

/** A sealed value with what opens it. */
export interface SealedValue {
  readonly brandId: number
  readonly value: SealedColumn
  /** The table, the brand and the row's key. */
  readonly context: string
}

const bytesOf = (value: Buffer | string): Buffer =>
  typeof value === "string" ? Buffer.from(value.slice(2), "hex") : value

/** Binds a sealed value to its lead: in the place of another it does not open. */
export const leadContext = (brandId: number, id: number): string => `lead ${brandId} ${id}`

/** Binds a sealed value to its engagement. */
export const engagementContext = (brandId: number, id: string): string => `engagement ${brandId} ${id}`

/** Binds a sealed post to its engagement. */
export const postContext = (brandId: number, id: string): string => `post ${brandId} ${id}`

/** Binds a sealed body to its delivery. */
export const bodyContext = (brandId: number, seq: number): string => `delivery_body ${brandId} ${seq}`

/** Binds a sealed response to its attempt. */
export const attemptContext = (brandId: number, seq: number, number: number): string =>
  `attempt ${brandId} ${seq} ${number}`

const keysSql = `SELECT k.brand_id, k.id, k.person, k.key_id, k.wrapped
  FROM unnest($1::bigint[], $2::bigint[]) AS given(brand_id, id)
  CROSS JOIN LATERAL (SELECT * FROM lead_signals.person_key k
    WHERE k.brand_id = given.brand_id AND k.id = given.id OFFSET 0) k`

/** The ids of the keys that open the values, by brand. */
const wantedKeys = (values: ReadonlyArray<SealedValue>): Map<number, number> => {
  const wanted = new Map<number, number>()
  for (const { brandId, value } of values) {
    if (value !== null) for (const id of keyIdsOf(bytesOf(value))) wanted.set(id, brandId)
  }
  return wanted
}

/** The keys that open the values, by id: those that the process keeps, and others of the table. */
export const keysOf = async (
  db: Connection,
  values: ReadonlyArray<SealedValue>
): Promise<ReadonlyMap<number, PersonKey>> => {
  const keys = new Map<number, PersonKey>()
  if (db.keys === null) return keys
  const wanted = wantedKeys(values)
  for (const id of wanted.keys()) {
    const kept = db.keys.keptPersonKey(id)
    if (kept === undefined) continue
    keys.set(id, kept)
    wanted.delete(id)
  }
  if (wanted.size === 0) return keys
  const rows = await db.all<WrappedPersonKey>(keysSql, [[...wanted.values()], [...wanted.keys()]])
  for (const row of rows) keys.set(row.id, db.keys.unwrapPerson(row))
  return keys
}

/** Those of the keys that open the values, of which some can be gone. */
export const personsOf = (
  keys: ReadonlyMap<number, PersonKey>,
  values: ReadonlyArray<SealedValue>
): ReadonlyArray<PersonKey> => [...wantedKeys(values).keys()].flatMap((id) => keys.get(id) ?? [])

/** The texts of the values, in their order; null where there is none, or a key of it is gone. */
export const openValues = async (
  db: Connection,
  values: ReadonlyArray<SealedValue>
): Promise<ReadonlyArray<string | null>> => {
  if (db.keys === null || values.every(({ value }) => value === null)) return values.map(() => null)
  const openAll = async () => {
    const keys = await keysOf(db, values)
    return values.map(({ context, value }) =>
      value === null ? null : openWith(keys, bytesOf(value), context)
    )
  }
  const isOpen = (text: unknown): text is string | null => text === null || typeof text === "string"
  const opened = await openAll()
  if (opened.every(isOpen)) return opened
  // A server that took over without the last commits of another can have given the id of a kept key again.
  for (const id of wantedKeys(values).keys()) db.keys.forgetPerson(id)
  const again = await openAll()
  if (again.every(isOpen)) return again
  throw new StoreUnavailable({ reason: "a sealed value in the database was changed" })
}

type Fields = Readonly<Record<string, unknown>>

/** Fields of a row that are sealed: JSON of those that are not null, by column. */
export const sealFields = (
  keys: ReadonlyArray<PersonKey>,
  fields: Fields,
  context: string
): Buffer | null => {
  const given = Object.entries(fields).filter(([, value]) => value !== null)
  return given.length === 0 ? null : sealFor(keys, JSON.stringify(Object.fromEntries(given)), context)
}

/** A sealed value, and what its fields are in the row; the same unless given. */
export interface SealedFields extends SealedValue {
  readonly toRow?: (fields: Fields) => Fields
}

/** Puts the fields of each row's sealed values in their places. */
export const openFields = async <Row extends object>(
  db: Connection,
  rows: ReadonlyArray<Row>,
  valuesOf: (row: Row) => ReadonlyArray<SealedFields>
): Promise<ReadonlyArray<Row>> => {
  if (db.keys === null) return rows
  const values = rows.map(valuesOf)
  const texts = await openValues(db, values.flat())
  let at = 0
  for (const [i, row] of rows.entries()) {
    for (const { toRow } of values[i]!) {
      const text = texts[at++]!
      if (text === null) continue
      const fields: Fields = JSON.parse(text)
      Object.assign(row, toRow === undefined ? fields : toRow(fields))
    }
  }
  return rows
}

/** Opens rows with the columns of `leadColumns`. */
export const openLeads = <
  Row extends { readonly brand_id: number; readonly id: number; readonly sealed: SealedColumn }
>(
  db: Connection,
  rows: ReadonlyArray<Row>
): Promise<ReadonlyArray<Row>> =>
  openFields(db, rows, ({ brand_id, id, sealed }) => [
    { brandId: brand_id, value: sealed, context: leadContext(brand_id, id) }
  ])

/** An engagement's sealed columns. */
export interface SealedEngagement {
  readonly id: string
  readonly sealed: SealedColumn
  readonly post_sealed: SealedColumn
  /** The lead of the post's author, where it is read, too. */
  readonly author_lead_id?: number | null
  readonly author_sealed?: SealedColumn
}

/** The sealed values of an engagement's row. */
export const engagementValuesOf = (
  brandId: number,
  { author_lead_id = null, author_sealed = null, id, post_sealed, sealed }: SealedEngagement
): ReadonlyArray<SealedFields> => [
  { brandId, value: sealed, context: engagementContext(brandId, id) },
  { brandId, value: post_sealed, context: postContext(brandId, id) },
  ...(author_lead_id === null
    ? []
    : [
        {
          brandId,
          value: author_sealed,
          context: leadContext(brandId, author_lead_id),
          toRow: ({ company = null }: Fields) => ({ author_company: company })
        }
      ])
]

/** Opens rows of engagements of one brand. */
export const openEngagements = <Row extends SealedEngagement>(
  db: Connection,
  brandId: number,
  rows: ReadonlyArray<Row>
): Promise<ReadonlyArray<Row>> => openFields(db, rows, (row) => engagementValuesOf(brandId, row))
