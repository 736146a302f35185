/** Rebuilds from the leads the tables that triggers derive from them: counts, and the stretches of the orders. */
import { type Ordering, orderings } from "../filter/Ordering.ts"
import * as Positions from "./Positions.ts"

/** What `lead_count` holds, from the leads: of each brand, and of each of its signals. */
export const leadCounts = [
  "SELECT brand_id, 0, flags, count(*) FROM lead GROUP BY brand_id, flags",
  `SELECT l.brand_id, s.signal_id, l.flags, count(*)
   FROM lead_signal s JOIN lead l ON l.id = s.lead_id GROUP BY l.brand_id, s.signal_id, l.flags`
]

/** What `lead_day_count` holds, from the leads. */
export const dayCounts = ["created", "updated"].map(
  (field) =>
    `SELECT brand_id, '${field}', ${field}_at / 86400000, flags, count(*)
     FROM lead GROUP BY brand_id, ${field}_at / 86400000, flags`
)

/** Before every key of the order. */
const leastOf = ({ name }: Ordering): string => (name === "name" ? "''" : "-9e999")

const counts = Positions.allFlags.map((flags) => `n${flags}`).join(", ")
const counting = Positions.allFlags.map((flags) => `sum(flags = ${flags}) AS n${flags}`).join(", ")

/** What `lead_stretch` holds of an order, from the leads: of a brand without leads one stretch that is empty. */
const rebuildStretches = (ordering: Ordering): ReadonlyArray<string> => {
  const { column, name } = ordering
  const least = leastOf(ordering)
  return [
    `INSERT INTO lead_stretch (brand_id, ordering, key, id, ${counts})
     SELECT brand_id, '${name}', iif(stretch = 0, ${least}, key), iif(stretch = 0, 0, id), ${counts}
     FROM (
       SELECT brand_id, stretch, key, id, min(place), ${counting}
       FROM (SELECT *, place / ${Positions.lengthWhenMade} AS stretch FROM (
         SELECT l.brand_id, l.id, l.flags, ${column} AS key,
           row_number() OVER (PARTITION BY l.brand_id ORDER BY ${column}, l.id) - 1 AS place FROM lead l))
       GROUP BY brand_id, stretch)`,
    `INSERT INTO lead_stretch (brand_id, ordering, key, id)
     SELECT b.id, '${name}', ${least}, 0 FROM brand b WHERE NOT EXISTS (SELECT 1 FROM lead l WHERE l.brand_id = b.id)`
  ]
}

/** Statements for one transaction. */
export const rebuildDerivedTables: ReadonlyArray<string> = [
  "DELETE FROM lead_count",
  ...leadCounts.map((counts) => `INSERT INTO lead_count ${counts}`),
  "DELETE FROM lead_day_count",
  ...dayCounts.map((counts) => `INSERT INTO lead_day_count ${counts}`),
  "DELETE FROM lead_stretch",
  ...Object.values(orderings).flatMap(rebuildStretches)
]
