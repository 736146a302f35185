/** Compares the rank buckets with the leads that lie in them. */
import { type Ordering, orderings } from "../filter/Ordering.ts"
import { minOf } from "./DerivedTables.ts"
import { allFlags } from "./RankIndex.ts"

/**
 * Counts the buckets of an order whose leads are not as many, by their flags, as the bucket has. Each lead of an index is read once: a
 * bucket has the leads of its first key from its first lead on, those of the keys between, and those before the next bucket that have
 * the key of that. With one comparison of pairs SQLite would read all leads of a key for each bucket that begins with it.
 */
const wrongCounts = (ordering: Ordering): string => {
  const { column, index, name } = ordering
  const leads = `SELECT l.flags FROM lead l INDEXED BY ${index} WHERE l.brand_id = b.brand_id`
  // SQLite sorts a blob behind every number and text.
  return `SELECT count(*) FROM (
      SELECT *, lead(key, 1, x'') OVER along AS next_key, lead(id) OVER along AS next_id
      FROM lead_stretch WHERE ordering = '${name}' WINDOW along AS (PARTITION BY brand_id ORDER BY key, id)) b
    WHERE (${allFlags.map((flags) => `b.n${flags}`).join(", ")}) IS NOT (
      SELECT ${allFlags.map((flags) => `count(*) FILTER (WHERE flags = ${flags})`).join(", ")} FROM (
        ${leads} AND ${column} = b.key AND l.id >= b.id AND l.id < iif(b.next_key = b.key, b.next_id, 9e999)
        UNION ALL ${leads} AND ${column} > b.key AND ${column} < b.next_key
        UNION ALL ${leads} AND ${column} = b.next_key AND l.id < b.next_id AND b.next_key <> b.key))`
}

/** The first buckets that begin elsewhere than before every lead, and the brands without buckets, or buckets without a brand. */
const wrongBeginnings = (): string => {
  const firsts = Object.values(orderings).map(
    (ordering) =>
      `SELECT id AS brand_id, '${ordering.name}' AS ordering, ${minOf(ordering)} AS key, 0 AS id FROM brand`
  )
  return `WITH expected AS (${firsts.join(" UNION ALL ")}),
      found AS (SELECT brand_id, ordering, key, id FROM (
        SELECT *, row_number() OVER (PARTITION BY brand_id, ordering ORDER BY key, id) AS place FROM lead_stretch)
        WHERE place = 1)
    SELECT (SELECT count(*) FROM (SELECT * FROM expected EXCEPT SELECT * FROM found))
         + (SELECT count(*) FROM (SELECT brand_id, ordering FROM found EXCEPT SELECT brand_id, ordering FROM expected))`
}

/**
 * A query that counts wrong rank buckets: those whose counts are not those of the leads between their beginning and the next, and orders
 * of a brand whose first bucket does not begin before every lead. None is wrong exactly when each lead is counted in its own bucket.
 * Counts of an order whose index is lost are left out: without it each bucket would take a scan of all leads.
 */
export const wrongBuckets = (isThere: (index: string) => boolean): string => {
  const counts = Object.values(orderings)
    .filter(({ index }) => isThere(index))
    .map(wrongCounts)
  return `SELECT ${[wrongBeginnings(), ...counts].map((count) => `(${count})`).join(" + ")}`
}
