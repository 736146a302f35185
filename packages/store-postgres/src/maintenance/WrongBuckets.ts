/** Compares the rank buckets with the leads that lie in them. */
import type { Connection } from "../connection/Connection.ts"
import { type Ordering, orderings } from "../query/Ordering.ts"

const allFlags = [0, 1, 2, 3, 4, 5, 6, 7]
const columns = allFlags.map((flags) => `n${flags}`)

type BucketRow = { readonly brand_id: number; readonly key: string; readonly id: number } & Readonly<
  Record<string, number>
>

/** The types of the columns by which leads are ordered. */
const typeOf = { created: "bigint", updated: "bigint", name: "text", score: "float8", scoreDesc: "float8" }

/**
 * Counts the buckets whose leads are not as many, by their flags, as the bucket has. One sort puts the buckets between the leads, so that
 * the number of buckets up to a lead is that of its own; 0 is that of leads before the first bucket of a brand.
 */
const wrongSql = ({ column, name }: Ordering): string => {
  const key = name === "name" ? 'key COLLATE "C"' : "key"
  return `SELECT count(*) AS n FROM (
      SELECT ${columns.map((n) => `coalesce(max(${n}), 0) AS ${n}`).join(", ")},
        ${allFlags.map((flags) => `count(*) FILTER (WHERE flags = ${flags}) AS found${flags}`).join(", ")}
      FROM (
        SELECT *, count(*) FILTER (WHERE flags IS NULL) OVER (PARTITION BY brand_id ORDER BY ${key}, id, flags IS NOT NULL) AS bucket
        FROM (
          SELECT brand_id, ${column} AS key, id, flags::integer, ${columns.map((n) => `NULL::integer AS ${n}`).join(", ")}
          FROM lead_signals.lead
          UNION ALL
          SELECT brand_id, key, id, NULL, ${columns.join(", ")}
          FROM unnest($1::bigint[], $2::${typeOf[name]}[], $3::bigint[], ${columns.map((_, i) => `$${i + 4}::integer[]`).join(", ")})
            b(brand_id, key, id, ${columns.join(", ")})) l) l
      GROUP BY brand_id, bucket) c
    WHERE (${columns.join(", ")}) IS DISTINCT FROM (${allFlags.map((flags) => `found${flags}`).join(", ")})`
}

/**
 * Returns how many rank buckets have other counts than those of the leads between their beginning and the next, with one more for each
 * order of a brand that has leads before its first bucket. It is 0 exactly when each lead is counted in its own bucket.
 */
export const countWrongBuckets = async (sql: Connection): Promise<number> => {
  let wrong = 0
  for (const ordering of Object.values(orderings)) {
    const buckets = await sql.all<BucketRow>(
      `SELECT brand_id, key, id, ${columns.join(", ")} FROM lead_signals.lead_bucket WHERE ordering = $1`,
      [ordering.name]
    )
    const found = await sql.get<{ n: number }>(wrongSql(ordering), [
      buckets.map(({ brand_id }) => brand_id),
      buckets.map(({ key }) => ordering.keyOf(key)),
      buckets.map(({ id }) => id),
      ...columns.map((column) => buckets.map((bucket) => bucket[column]!))
    ])
    wrong += Number(found!.n)
  }
  return wrong
}
