/**
 * Splits and moves rank buckets. The caller holds the row of the brand's version: all leads that buckets count are then committed, or
 * written by the same transaction.
 */
import type { Connection } from "../connection/Connection.ts"
import { type Ordering, orderings } from "../query/Ordering.ts"

/** A bucket and how many leads it has. */
export interface LongBucket {
  readonly brand_id: number
  readonly ordering: Ordering["name"]
  readonly key: string
  readonly id: number
  readonly n: number
}

const allFlags: ReadonlyArray<number> = [0, 1, 2, 3, 4, 5, 6, 7]
const columns = allFlags.map((flags) => `n${flags}`)
const counting = allFlags.map((flags) => `(count(*) FILTER (WHERE l.flags = ${flags}))::integer AS n${flags}`)

/** Leads of a piece: many, since later leads of an order often go to its end, and leave a piece as it is. */
export const pieceOf = (maxBucketLeads: number): number => Math.max(1, Math.floor((maxBucketLeads * 3) / 4))

/** A beginning of a piece, and its leads by their flags. */
export type Piece = { readonly key: string | number; readonly id: number } & Readonly<Record<string, number>>

/** Counts the leads of pieces, the first of which begins where the parameters say. */
export const piecesSql = (column: string): string =>
  `SELECT (array_agg(l.key ORDER BY l.place))[1] AS key, (array_agg(l.id ORDER BY l.place))[1] AS id, ${counting.join(", ")}
   FROM (SELECT l.key, l.id, l.flags, row_number() OVER (ORDER BY l.key, l.id) - 1 AS place
     FROM (SELECT l.${column} AS key, l.id, l.flags FROM lead_signals.lead l
       WHERE l.brand_id = $1 AND (l.${column}, l.id) >= ($2, $3) ORDER BY l.${column}, l.id LIMIT $4) l) l
   GROUP BY l.place / $5::bigint ORDER BY min(l.place)`

/** Adds buckets. The first of an order's begins before every lead. */
export const insertPieces = async (
  db: Connection,
  brandId: number,
  { name, textOf }: Ordering,
  pieces: ReadonlyArray<Piece>,
  isWhole: boolean
): Promise<void> => {
  const isFirst = (i: number): boolean => isWhole && i === 0
  await db.run(
    `INSERT INTO lead_signals.lead_bucket (brand_id, ordering, key, id, ${columns.join(", ")})
       SELECT $1, $2, * FROM unnest($3::text[], $4::bigint[], ${columns.map((_, i) => `$${i + 5}::integer[]`).join(", ")})`,
    [
      brandId,
      name,
      pieces.map((piece, i) => (isFirst(i) ? "" : textOf(piece.key))),
      pieces.map((piece, i) => (isFirst(i) ? 0 : piece.id)),
      ...columns.map((column) => pieces.map((piece) => piece[column]!))
    ]
  )
}

/** Cuts a bucket into pieces, and deletes the empty buckets of its order: where each change moves a lead to the end, they would accumulate. */
export const splitBucket = async (
  db: Connection,
  { brand_id, id, key, n, ordering }: LongBucket,
  maxBucketLeads: number
): Promise<void> => {
  const { column, keyOf } = orderings[ordering]
  const params = [brand_id, keyOf(key), id, n, pieceOf(maxBucketLeads)]
  const [first, ...others] = await db.all<Piece>(piecesSql(column), params)
  if (first === undefined || others.length === 0) return
  await db.run(
    `UPDATE lead_signals.lead_bucket SET ${columns.map((name, i) => `${name} = $${i + 5}`).join(", ")}
       WHERE brand_id = $1 AND ordering = $2 AND key = $3 AND id = $4`,
    [brand_id, ordering, key, id, ...columns.map((name) => first[name]!)]
  )
  await insertPieces(db, brand_id, orderings[ordering], others, false)
  await db.run(
    `DELETE FROM lead_signals.lead_bucket WHERE brand_id = $1 AND ordering = $2 AND id > 0 AND ${columns.join(" + ")} = 0`,
    [brand_id, ordering]
  )
}

/**
 * Moves the beginning of a bucket of names to its first lead; its counts stay. Deletes a bucket without leads, and returns null. It is for
 * a beginning that names a lead which has gone, or has another name. [PII-3]
 */
export const moveBeginning = async (db: Connection, bucket: LongBucket): Promise<LongBucket | null> => {
  const { brand_id, id, key, n, ordering } = bucket
  const of = "brand_id = $1 AND ordering = $2 AND key = $3 AND id = $4"
  const params = [brand_id, ordering, key, id]
  const { column, keyOf, textOf } = orderings[ordering]
  const first =
    n === 0
      ? undefined
      : await db.get<{ key: string | number; id: number }>(
          `SELECT l.${column} AS key, l.id FROM lead_signals.lead l
             WHERE l.brand_id = $1 AND (l.${column}, l.id) >= ($2, $3) ORDER BY l.${column}, l.id LIMIT 1`,
          [brand_id, keyOf(key), id]
        )
  if (first === undefined) {
    await db.run(`DELETE FROM lead_signals.lead_bucket WHERE ${of}`, params)
    return null
  }
  const moved = { ...bucket, key: textOf(first.key), id: first.id }
  await db.run(`UPDATE lead_signals.lead_bucket SET key = $5, id = $6 WHERE ${of}`, [
    ...params,
    moved.key,
    moved.id
  ])
  return moved
}
