/** The migrations of the file, from one version to the next. */
import type { Connection, QueryConnection } from "../connection/Connection.ts"
import { DatabaseProblem } from "../connection/DatabaseProblem.ts"
import type { Progress } from "./MigrationProgress.ts"
import { leads } from "./migrations/0001_leads.ts"
import { webhooks } from "./migrations/0002_webhooks.ts"
import { positions } from "./migrations/0003_positions.ts"
import { shown } from "./migrations/0004_shown.ts"
import { shorterWays } from "./migrations/0006_shorter_ways.ts"
import { longStretches } from "./migrations/0007_long_stretches.ts"
import { joinedTexts } from "./migrations/0008_joined_texts.ts"
import { signalsInOrder } from "./migrations/0009_signals_in_order.ts"
import { numberedChanges } from "./migrations/0011_numbered_changes.ts"
import { stretchesAgain } from "./migrations/0012_stretches_again.ts"
import { textsByBrand } from "./migrations/0013_texts_by_brand.ts"
import { deletions } from "./migrations/0014_deletions.ts"
import { segmentMerge } from "./migrations/0015_segment_merge.ts"
import { retention } from "./migrations/0016_retention.ts"
import { activity } from "./migrations/0017_activity.ts"
import { operators } from "./migrations/0018_operators.ts"
import { secretWrapping } from "./migrations/0019_secret_wrapping.ts"
import { idempotency } from "./migrations/0020_idempotency.ts"
import { removals } from "./migrations/0021_removals.ts"
import { countsByCommit } from "./migrations/0022_counts_by_commit.ts"
import { webhookSettings } from "./migrations/0023_webhook_settings.ts"
import { attemptPosts } from "./migrations/0024_attempt_posts.ts"
import { changedLeads } from "./migrations/0025_changed_leads.ts"
import { attemptBatches } from "./migrations/0027_attempt_batches.ts"

/** The statements of a migration, or what runs them. */
type Steps = ReadonlyArray<string> | ((sql: Connection, progress: Progress) => void)

/** Nothing: a number that no release used, or the index of texts, which step 13 rebuilds from the leads whatever it holds. */
const superseded: Steps = []

/** Nothing: a program of before would take new leads that wait for the search indexes for leads that are in them, so it refuses the file. */
const searchTail: Steps = []

/** In order; what a released one does to a file of this version is never changed. `schema.sql` says what they come to. */
const migrations: ReadonlyArray<readonly [name: string, steps: Steps]> = [
  ["leads", leads],
  ["webhooks", webhooks],
  ["positions", positions],
  ["shown", shown],
  ["search by brand", superseded],
  ["shorter ways", shorterWays],
  ["long stretches", longStretches],
  ["joined texts", joinedTexts],
  ["signals in order", signalsInOrder],
  ["texts again", superseded],
  ["numbered changes", numberedChanges],
  ["stretches again", stretchesAgain],
  ["texts by brand", textsByBrand],
  ["deletions", deletions],
  ["segment merge", segmentMerge],
  ["retention", retention],
  ["activity", activity],
  ["operators", operators],
  ["secret wrapping", secretWrapping],
  ["idempotency", idempotency],
  ["removals", removals],
  ["counts by commit", countsByCommit],
  ["webhook settings", webhookSettings],
  ["attempt posts", attemptPosts],
  ["changed leads", changedLeads],
  ["search tail", searchTail],
  ["attempt batches", attemptBatches]
]

/** The number of the newest migration, which a file's `user_version` has when the schema is up to date. */
export const newestMigration = migrations.length

/** Marks the file as ours, "LSig": another program's SQLite file is refused. */
const applicationId = 0x4c536967

/** Fails on a file of another program. Reads it with one statement: another process may just make the first tables of a new file. */
export const checkForeign = (sql: Pick<QueryConnection, "value">, filename: string): void => {
  const id = sql.value<number>(
    "SELECT application_id FROM pragma_application_id WHERE EXISTS (SELECT 1 FROM sqlite_schema)"
  )
  if (id !== undefined && id !== applicationId) {
    throw new DatabaseProblem(`${filename} is a SQLite file of another program`)
  }
}

/** Fails on a version that a newer program has written. */
export const refuseNewer = (version: number, filename: string): void => {
  if (version <= newestMigration) return
  throw new DatabaseProblem(
    `${filename} was written by a newer version of Lead Signals (${version}, this one knows ${newestMigration}): use that version, or a backup of before`
  )
}

/** The version of the file; 0 of one that has nothing in it yet. Fails on a newer one than is known here. */
export const versionOf = (sql: QueryConnection & Pick<Connection, "nameOf">, filename: string): number => {
  if (sql.value("SELECT 1 FROM sqlite_schema WHERE name = ?", [sql.nameOf("migration")]) === undefined)
    return 0
  const newest = sql.value<number | null>("SELECT max(migration_id) FROM migration") ?? 0
  refuseNewer(newest, filename)
  return newest
}

/** Fails when a newer program has migrated the file since this one opened it: it would leave out what that version keeps. */
export const checkVersion = (sql: QueryConnection, filename: string): void =>
  refuseNewer(sql.value<number>("SELECT max(migration_id) FROM migration")!, filename)

/** About how many leads of an older file are to be looked at, by their highest number; null for a file of this version. */
export const outstanding = (sql: Connection, filename: string): number | null => {
  const version = versionOf(sql, filename)
  if (version === migrations.length) return null
  if (version === 0) return 0
  return sql.value<number | null>("SELECT max(id) FROM lead") ?? 0
}

/** The progress of migrating an older file. */
export interface Migrating {
  /** How much is done, from 0 to 1. */
  readonly fraction: number
  /** The current step, for the operator. */
  readonly doing: string
}

/**
 * Brings the store's tables to this version, among whatever tables the database has beside them. In one transaction: two processes
 * that start on one file migrate it one after the other.
 */
export const migrateTables = (
  sql: Connection,
  filename: string,
  report: (migrating: Migrating) => void
): void => {
  sql.run(
    `CREATE TABLE IF NOT EXISTS migration (
       migration_id integer PRIMARY KEY NOT NULL, created_at datetime NOT NULL DEFAULT current_timestamp, name VARCHAR(255) NOT NULL)`
  )
  const version = versionOf(sql, filename)
  const of = migrations.length - version
  for (const [i, [name, steps]] of migrations.slice(version).entries()) {
    const part = (done: number) =>
      report({
        fraction: (i + done) / of,
        doing: `bringing the database to this version, step ${i + 1} of ${of}: ${name}`
      })
    part(0)
    if (typeof steps === "function") steps(sql, part)
    else sql.runAll(steps)
    sql.run("INSERT INTO migration (migration_id, name) VALUES (?, ?)", [version + i + 1, name])
  }
}

/** Brings a file of the store's own to this version, and marks it as ours. In one transaction, as `migrateTables`. */
export const migrate = (sql: Connection, filename: string, report: (migrating: Migrating) => void): void => {
  checkForeign(sql, filename)
  sql.run(`PRAGMA application_id = ${applicationId}`)
  migrateTables(sql, filename, report)
}
