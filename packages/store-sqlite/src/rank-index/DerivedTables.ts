/** Rebuilds the tables that are derived from others: counts, and the rank buckets of the orders. */
import { type Ordering, orderings } from "../filter/Ordering.ts"
import * as RankIndex from "./RankIndex.ts"

/** The rows of `lead_count`: for each brand, and for each of its signals. */
export const leadCounts = [
  "SELECT brand_id, 0, flags, count(*) FROM lead GROUP BY brand_id, flags",
  `SELECT l.brand_id, s.signal_id, l.flags, count(*)
   FROM lead_signal s JOIN lead l ON l.id = s.lead_id GROUP BY l.brand_id, s.signal_id, l.flags`
]

/** The rows of `lead_day_count`. */
export const dayCounts = ["created", "updated"].map(
  (field) =>
    `SELECT brand_id, '${field}', ${field}_at / 86400000, flags, count(*)
     FROM lead GROUP BY brand_id, ${field}_at / 86400000, flags`
)

/** The hour of an instant, which may lie before 1970. */
const hourOf = (instant: string): string =>
  `(${instant} - ((${instant} % 3600000) + 3600000) % 3600000) / 3600000`

/** The rows of `activity_hour`. */
export const activityCounts = [
  "SELECT brand_id, 'lead', created_at / 3600000, 0, '', count(*) FROM lead GROUP BY 1, 3",
  `SELECT s.brand_id, 'lead', g.created_at / 3600000, g.signal_id, '', count(*)
   FROM lead_signal g JOIN signal s ON s.id = g.signal_id GROUP BY 1, 3, 4`,
  `SELECT brand_id, 'engagement', ${hourOf("tracked_at")}, signal_id, coalesce(type, ''), count(*)
   FROM engagement GROUP BY 1, 3, 4, 5`
]

/** The rows of `delivery_count`. */
export const deliveryCounts = "SELECT webhook_id, state, count(*) FROM delivery GROUP BY 1, 2"

/** The rows of `delivery_hour`. */
export const finishedCounts =
  "SELECT webhook_id, finished_at / 3600000, state, count(*) FROM delivery WHERE state <> 'pending' GROUP BY 1, 2, 3"

/** A literal below every key of the order, at which the first bucket of a brand begins. */
export const minOf = ({ name }: Ordering): string => (name === "name" ? "''" : "-9e999")

const counts = RankIndex.allFlags.map((flags) => `n${flags}`).join(", ")
const counting = RankIndex.allFlags.map((flags) => `sum(flags = ${flags}) AS n${flags}`).join(", ")

/** Fill `lead_stretch`, the table of rank buckets, for an order; a brand without leads gets one empty bucket. */
const rebuildBuckets = (ordering: Ordering): ReadonlyArray<string> => {
  const { column, name } = ordering
  const min = minOf(ordering)
  return [
    `INSERT INTO lead_stretch (brand_id, ordering, key, id, ${counts})
     SELECT brand_id, '${name}', iif(bucket = 0, ${min}, key), iif(bucket = 0, 0, id), ${counts}
     FROM (
       SELECT brand_id, bucket, key, id, min(place), ${counting}
       FROM (SELECT *, place / ${RankIndex.rebuiltBucketLeads} AS bucket FROM (
         SELECT l.brand_id, l.id, l.flags, ${column} AS key,
           row_number() OVER (PARTITION BY l.brand_id ORDER BY ${column}, l.id) - 1 AS place FROM lead l))
       GROUP BY brand_id, bucket)`,
    `INSERT INTO lead_stretch (brand_id, ordering, key, id)
     SELECT b.id, '${name}', ${min}, 0 FROM brand b WHERE NOT EXISTS (SELECT 1 FROM lead l WHERE l.brand_id = b.id)`
  ]
}

/** Statements that rebuild all derived tables; callers run them in one transaction. */
export const rebuildDerivedTables: ReadonlyArray<string> = [
  "DELETE FROM lead_count",
  ...leadCounts.map((counts) => `INSERT INTO lead_count ${counts}`),
  "DELETE FROM lead_day_count",
  ...dayCounts.map((counts) => `INSERT INTO lead_day_count ${counts}`),
  "DELETE FROM activity_hour",
  ...activityCounts.map((counts) => `INSERT INTO activity_hour ${counts}`),
  "DELETE FROM delivery_count",
  `INSERT INTO delivery_count ${deliveryCounts}`,
  "DELETE FROM delivery_hour",
  `INSERT INTO delivery_hour ${finishedCounts}`,
  "DELETE FROM lead_stretch",
  ...Object.values(orderings).flatMap(rebuildBuckets)
]
