/**
 * Stretches began with leads that were erased or renamed since, and said their names; those that leads had left stayed. All
 * are made anew from the leads that there are, which takes some 10 s a million. [PII-3]
 */

/** What a lead is ordered by, and the least value of it. */
const orders = [
  { name: "created", key: "created_at", least: "-9e999" },
  { name: "updated", key: "updated_at", least: "-9e999" },
  { name: "name", key: "name_key", least: "''" },
  { name: "score", key: "score_rank", least: "-9e999" },
  { name: "scoreDesc", key: "score_rank_desc", least: "-9e999" }
]

const counts = "n0, n1, n2, n3, n4, n5, n6, n7"
const counting = Array.from({ length: 8 }, (_, flags) => `sum(flags = ${flags}) AS n${flags}`).join(", ")

const leadsInStretch = 1024

/** Empties `lead_stretch` and fills it from the leads, 1,024 to a bucket. */
export const stretchesAgain: ReadonlyArray<string> = [
  "DELETE FROM lead_stretch",
  ...orders.map(
    ({ key, least, name }) => `INSERT INTO lead_stretch (brand_id, ordering, key, id, ${counts})
     SELECT brand_id, '${name}', iif(stretch = 0, ${least}, key), iif(stretch = 0, 0, id), ${counts}
     FROM (
       SELECT brand_id, stretch, key, id, min(place), ${counting}
       FROM (SELECT *, place / ${leadsInStretch} AS stretch FROM (
         SELECT brand_id, id, flags, ${key} AS key,
           row_number() OVER (PARTITION BY brand_id ORDER BY ${key}, id) - 1 AS place FROM lead))
       GROUP BY brand_id, stretch)`
  ),
  ...orders.map(
    ({ least, name }) => `INSERT INTO lead_stretch (brand_id, ordering, key, id)
     SELECT b.id, '${name}', ${least}, 0 FROM brand b WHERE NOT EXISTS (SELECT 1 FROM lead l WHERE l.brand_id = b.id)`
  )
]
