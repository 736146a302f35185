/**
 * Where in an order a lead stands, without walking there: each order of a brand is cut into stretches, and of each it is
 * known how many leads it has, by their flags. The counts are kept by triggers, in the transaction of what they count;
 * the store cuts a stretch that has grown long. A score that is missing ranks after all others, whatever the direction.
 * Step 12 makes the stretches of the leads that are there.
 */

interface Order {
  readonly name: "created" | "updated" | "name" | "score" | "scoreDesc"
  /** What a lead is ordered by, and after that by its id; `row` is the lead. */
  readonly key: (row: string) => string
  readonly least: string
}

/** Less than every number that a lead is ordered by, and greater than every one. */
const [least, greatest] = ["-9e999", "9e999"]

const orders: ReadonlyArray<Order> = [
  { name: "created", key: (row) => `${row}.created_at`, least },
  { name: "updated", key: (row) => `${row}.updated_at`, least },
  { name: "name", key: (row) => `${row}.name_key`, least: "''" },
  { name: "score", key: (row) => `${row}.score_rank`, least },
  { name: "scoreDesc", key: (row) => `${row}.score_rank_desc`, least }
]

const allFlags = [0, 1, 2, 3, 4, 5, 6, 7]

/** Counts the lead in its stretch once more, or once less. */
const counted = ({ key, name }: Order, row: "OLD" | "NEW", sign: "+" | "-"): string =>
  `UPDATE lead_stretch SET ${allFlags.map((flags) => `n${flags} = n${flags} ${sign} (${row}.flags = ${flags})`).join(", ")}
   WHERE seq = (SELECT seq FROM lead_stretch WHERE brand_id = ${row}.brand_id AND ordering = '${name}'
     AND (key, id) <= (${key(row)}, ${row}.id) ORDER BY key DESC, id DESC LIMIT 1);`

const moved = (order: Order): string => `${counted(order, "OLD", "-")} ${counted(order, "NEW", "+")}`

const onUpdate = (order: Order, columns: string): string =>
  `CREATE TRIGGER lead_moved_${order.name} AFTER UPDATE OF ${columns} ON lead
   WHEN OLD.flags = NEW.flags AND ${order.key("OLD")} <> ${order.key("NEW")} BEGIN ${moved(order)} END`

const firstStretches = (brand: string): string =>
  orders
    .map(
      ({ least, name }) =>
        `INSERT INTO lead_stretch (brand_id, ordering, key, id) VALUES (${brand}, '${name}', ${least}, 0);`
    )
    .join(" ")

/** Statements that add the columns, indexes and rank buckets (`lead_stretch`), and the triggers that count in them. */
export const positions: ReadonlyArray<string> = [
  // Written by the store: an index over generated columns would not answer a page without the rows.
  `ALTER TABLE lead ADD COLUMN score_rank REAL NOT NULL DEFAULT ${greatest}`,
  `ALTER TABLE lead ADD COLUMN score_rank_desc REAL NOT NULL DEFAULT ${greatest}`,
  "UPDATE lead SET score_rank = score1, score_rank_desc = -score1 WHERE score1 IS NOT NULL",
  "DROP INDEX lead_by_score",
  "DROP INDEX lead_by_score_desc",
  "CREATE INDEX lead_by_score ON lead (brand_id, score_rank, id, flags)",
  "CREATE INDEX lead_by_score_desc ON lead (brand_id, score_rank_desc, id, flags)",

  /* A stretch goes from (key, id) to where the next one begins; n0 … n7 count its leads by their flags. */
  `CREATE TABLE lead_stretch (
     seq INTEGER PRIMARY KEY, brand_id INTEGER NOT NULL, ordering TEXT NOT NULL, key ANY NOT NULL, id INTEGER NOT NULL,
     ${allFlags.map((flags) => `n${flags} INTEGER NOT NULL DEFAULT 0`).join(", ")},
     UNIQUE (brand_id, ordering, key, id)) STRICT`,
  // By how long they are: so it is seen at once that one is to be cut.
  `CREATE INDEX lead_stretch_by_length ON lead_stretch (${allFlags.map((flags) => `n${flags}`).join(" + ")})`,
  `CREATE TRIGGER brand_inserted AFTER INSERT ON brand BEGIN ${firstStretches("NEW.id")} END`,
  `CREATE TRIGGER lead_placed AFTER INSERT ON lead BEGIN ${orders.map((order) => counted(order, "NEW", "+")).join(" ")} END`,
  `CREATE TRIGGER lead_gone AFTER DELETE ON lead BEGIN ${orders.map((order) => counted(order, "OLD", "-")).join(" ")} END`,
  `CREATE TRIGGER lead_placed_anew AFTER UPDATE OF flags ON lead WHEN OLD.flags <> NEW.flags
   BEGIN ${orders.map(moved).join(" ")} END`,
  ...orders.map((order) =>
    onUpdate(
      order,
      {
        created: "created_at",
        updated: "updated_at",
        name: "name_key",
        score: "score_rank",
        scoreDesc: "score_rank_desc"
      }[order.name]
    )
  )
]
