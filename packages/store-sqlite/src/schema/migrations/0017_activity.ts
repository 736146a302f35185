/**
 * Counts of leads, engagements and finished deliveries by the hour, so that figures over time need not look at the rows. Hours count
 * from 1970; of an engagement by its trackedAt, which can lie before. Of a file with many leads this takes some seconds a million.
 */

const hourOf = (instant: string): string =>
  `(${instant} - ((${instant} % 3600000) + 3600000) % 3600000) / 3600000`

const count = (table: string, values: string): string =>
  `INSERT INTO ${table} VALUES (${values}, 1) ON CONFLICT DO UPDATE SET n = n + 1;`

const ofSignal = (row: "OLD" | "NEW", n: 1 | -1): string =>
  `INSERT INTO activity_hour SELECT brand_id, 'lead', ${row}.created_at / 3600000, id, '', ${n} FROM signal WHERE id = ${row}.signal_id
     ON CONFLICT DO UPDATE SET n = n + excluded.n;`

const lessActivity = (kind: string, hour: string, signal: string, type: string): string =>
  `UPDATE activity_hour SET n = n - 1 WHERE brand_id = OLD.brand_id AND kind = '${kind}' AND hour = ${hour} AND signal_id = ${signal} AND type = ${type};`

const lessDeliveries = `UPDATE delivery_hour SET n = n - 1
     WHERE webhook_id = OLD.webhook_id AND hour = OLD.finished_at / 3600000 AND state = OLD.state;`

/** Adds `activity_hour` and `delivery_hour`, counts what there is, and adds the triggers that go on counting. */
export const activity: ReadonlyArray<string> = [
  `CREATE TABLE activity_hour (
     brand_id INTEGER NOT NULL, kind TEXT NOT NULL, hour INTEGER NOT NULL, signal_id INTEGER NOT NULL, type TEXT NOT NULL,
     n INTEGER NOT NULL, PRIMARY KEY (brand_id, kind, hour, signal_id, type)) STRICT, WITHOUT ROWID`,
  "INSERT INTO activity_hour SELECT brand_id, 'lead', created_at / 3600000, 0, '', count(*) FROM lead GROUP BY 1, 3",
  `INSERT INTO activity_hour SELECT s.brand_id, 'lead', g.created_at / 3600000, g.signal_id, '', count(*)
   FROM lead_signal g JOIN signal s ON s.id = g.signal_id GROUP BY 1, 3, 4`,
  `INSERT INTO activity_hour SELECT brand_id, 'engagement', ${hourOf("tracked_at")}, signal_id, coalesce(type, ''), count(*)
   FROM engagement GROUP BY 1, 3, 4, 5`,
  `CREATE TABLE delivery_hour (
     webhook_id INTEGER NOT NULL, hour INTEGER NOT NULL, state TEXT NOT NULL, n INTEGER NOT NULL,
     PRIMARY KEY (webhook_id, hour, state)) STRICT, WITHOUT ROWID`,
  `INSERT INTO delivery_hour SELECT webhook_id, finished_at / 3600000, state, count(*) FROM delivery
   WHERE state <> 'pending' GROUP BY 1, 2, 3`,
  `CREATE TRIGGER activity_lead_inserted AFTER INSERT ON lead BEGIN
     ${count("activity_hour", "NEW.brand_id, 'lead', NEW.created_at / 3600000, 0, ''")}
   END`,
  `CREATE TRIGGER activity_lead_deleted AFTER DELETE ON lead BEGIN
     ${lessActivity("lead", "OLD.created_at / 3600000", "0", "''")}
   END`,
  `CREATE TRIGGER activity_lead_caught AFTER INSERT ON lead_signal BEGIN ${ofSignal("NEW", 1)} END`,
  `CREATE TRIGGER activity_lead_uncaught AFTER DELETE ON lead_signal BEGIN ${ofSignal("OLD", -1)} END`,
  `CREATE TRIGGER activity_engagement_inserted AFTER INSERT ON engagement BEGIN
     ${count("activity_hour", `NEW.brand_id, 'engagement', ${hourOf("NEW.tracked_at")}, NEW.signal_id, coalesce(NEW.type, '')`)}
   END`,
  `CREATE TRIGGER activity_engagement_deleted AFTER DELETE ON engagement BEGIN
     ${lessActivity("engagement", hourOf("OLD.tracked_at"), "OLD.signal_id", "coalesce(OLD.type, '')")}
   END`,
  `CREATE TRIGGER delivery_hour_inserted AFTER INSERT ON delivery WHEN NEW.state <> 'pending' BEGIN
     ${count("delivery_hour", "NEW.webhook_id, NEW.finished_at / 3600000, NEW.state")}
   END`,
  `CREATE TRIGGER delivery_hour_finished AFTER UPDATE OF state ON delivery WHEN OLD.state = 'pending' AND NEW.state <> 'pending' BEGIN
     ${count("delivery_hour", "NEW.webhook_id, NEW.finished_at / 3600000, NEW.state")}
   END`,
  `CREATE TRIGGER delivery_hour_deleted AFTER DELETE ON delivery WHEN OLD.state <> 'pending' BEGIN
     ${lessDeliveries}
   END`
]
