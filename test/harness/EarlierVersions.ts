/** Takes back what later versions of the file brought, as far as the steps to them would find it there. */
import type Database from "better-sqlite3"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../../packages/store-sqlite/src/schema/migrations/", import.meta.url))

/** The statements of each migration that is a list of statements. */
const statements: Array<string> = []
for (const name of readdirSync(folder).sort()) {
  const module = (await import(`${folder}${name}`)) as Readonly<Record<string, unknown>>
  for (const exported of Object.values(module)) if (Array.isArray(exported)) statements.push(...exported)
}

/** The triggers that version 22 drops, as the last migration before it made them. */
const droppedTriggers = statements
  .flatMap((statement) => /^DROP TRIGGER (\w+)$/.exec(statement)?.[1] ?? [])
  .flatMap(
    (name) => statements.findLast((statement) => statement.startsWith(`CREATE TRIGGER ${name} `)) ?? []
  )

/** By the version that brought it. */
const brought: ReadonlyArray<readonly [version: number, takenBack: string]> = [
  [27, "DROP INDEX attempt_by_batch;"],
  [
    25,
    `DROP TABLE changed_lead; ALTER TABLE brand DROP COLUMN changes_forgotten; ALTER TABLE brand DROP COLUMN change_epoch;`
  ],
  [24, "ALTER TABLE attempt DROP COLUMN format; ALTER TABLE attempt DROP COLUMN batch_id;"],
  [
    23,
    `DROP INDEX delivery_in_order; ALTER TABLE delivery DROP COLUMN ordered_lead; ALTER TABLE delivery DROP COLUMN failing_since;
     ALTER TABLE webhook DROP COLUMN max_wait; ALTER TABLE webhook DROP COLUMN max_batch; ALTER TABLE webhook DROP COLUMN format;
     ALTER TABLE webhook DROP COLUMN max_delay; ALTER TABLE webhook DROP COLUMN ordering;`
  ],
  [22, [...new Set(droppedTriggers)].map((trigger) => `${trigger};`).join("\n")],
  [
    21,
    `DROP TRIGGER removal_of_person; DROP TRIGGER removal_of_key; DROP TRIGGER removal_of_token; DROP TRIGGER removal_of_signal;
     DROP TRIGGER removal_of_campaign; DROP TRIGGER removal_of_webhook; DROP TRIGGER removal_of_brand; DROP TABLE removal;
     DROP TABLE removal_journal;`
  ],
  [20, "DROP TABLE idempotency_record;"],
  [19, "DROP TABLE secret_wrapping;"],
  [
    18,
    `DROP TABLE access_token; DROP TABLE audit_entry; ALTER TABLE api_key DROP COLUMN expires_at;
     ALTER TABLE api_key DROP COLUMN scopes; ALTER TABLE api_key DROP COLUMN allowed_addresses;`
  ],
  [
    17,
    `DROP TRIGGER activity_lead_inserted; DROP TRIGGER activity_lead_deleted; DROP TRIGGER activity_lead_caught;
     DROP TRIGGER activity_lead_uncaught; DROP TRIGGER activity_engagement_inserted; DROP TRIGGER activity_engagement_deleted;
     DROP TRIGGER delivery_hour_inserted; DROP TRIGGER delivery_hour_finished; DROP TRIGGER delivery_hour_deleted;
     DROP TABLE activity_hour; DROP TABLE delivery_hour;`
  ],
  [16, "DROP TABLE pruning; DROP INDEX delivery_finished; ALTER TABLE suppression DROP COLUMN erased_at;"],
  [15, "DROP TABLE segment_merge;"],
  [
    14,
    `ALTER TABLE brand DROP COLUMN deletion_started_at; ALTER TABLE brand DROP COLUMN deleted_at;
     ALTER TABLE signal DROP COLUMN deleted_at; ALTER TABLE campaign DROP COLUMN deleted_at;`
  ],
  [
    11,
    `DROP TRIGGER lead_added; DROP TRIGGER lead_changed; DROP TRIGGER lead_removed; DROP TABLE lead_change;`
  ],
  [9, "DROP TRIGGER lead_caught_otherwise;"],
  [
    7,
    `DROP INDEX lead_stretch_long;
     CREATE INDEX lead_stretch_by_length ON lead_stretch (n0 + n1 + n2 + n3 + n4 + n5 + n6 + n7);`
  ],
  [4, `DROP TRIGGER lead_shown_otherwise; ALTER TABLE lead DROP COLUMN shown;`]
]

export const takeBackTo = (db: Database.Database, version: number): void => {
  for (const [since, takenBack] of brought) if (since > version) db.exec(takenBack)
  db.prepare("DELETE FROM migration WHERE migration_id > ?").run(version)
}
