/**
 * The migrations of the schema, from one version to the next. Nodes of two versions run side by side while an operator replaces them,
 * so a change comes in two releases: one that only adds (expand), which older nodes don't notice, and a later one that removes what
 * no node uses any more (contract), which says by `minVersion` which nodes it would break.
 */
import { StoreUnavailable } from "@lead-signals/domain"
import type pg from "pg"
import { setTimeout as sleep } from "node:timers/promises"
import { type ClientPool, ignoreLosses } from "../connection/Clients.ts"
import { QueryFailure, unavailable } from "../connection/Failures.ts"
import { inSchema, quoted } from "../connection/StatementTexts.ts"
import { activityIndexes } from "./migrations/0003_activity.ts"
import { tables } from "./migrations/0001_tables.ts"
import { retention, retentionIndexes } from "./migrations/0002_retention.ts"
import { operators } from "./migrations/0004_operators.ts"
import { encryption } from "./migrations/0005_encryption.ts"
import { idempotency } from "./migrations/0006_idempotency.ts"
import { webhookSettings } from "./migrations/0007_webhook_settings.ts"
import { deliveryOrderIndexes } from "./migrations/0008_delivery_order.ts"
import { attemptPosts } from "./migrations/0009_attempt_posts.ts"
import { changedLeads } from "./migrations/0010_changed_leads.ts"
import { removals } from "./migrations/0011_removals.ts"
import { statistics } from "./migrations/0012_statistics.ts"
import { coveringOrderIndexes, coveringOrders, shortSignalLists } from "./migrations/0013_covering_orders.ts"
import { attemptBatchIndexes } from "./migrations/0015_attempt_batches.ts"

/** A step from one version of the schema to the next. */
export interface Migration {
  readonly name: string
  /** Software that knows fewer migrations than this can't use the schema afterwards: 1 while a migration only adds. */
  readonly minVersion: number
  /** Statements that run in one transaction. */
  readonly statements?: string
  /** Indexes that are built while others write, each by its name: `CREATE INDEX CONCURRENTLY`, which no transaction can contain. */
  readonly indexes?: Readonly<Record<string, string>>
}

/** In order; what a released one does is never changed. `schema.sql` says what they come to. */
const migrations: ReadonlyArray<Migration> = [
  { name: "tables", minVersion: 1, statements: tables },
  { name: "retention", minVersion: 1, statements: retention, indexes: retentionIndexes },
  { name: "activity", minVersion: 1, indexes: activityIndexes },
  { name: "operators", minVersion: 1, statements: operators },
  { name: "encryption", minVersion: 1, statements: encryption },
  { name: "idempotency", minVersion: 1, statements: idempotency },
  { name: "webhook settings", minVersion: 1, statements: webhookSettings },
  { name: "delivery order", minVersion: 1, indexes: deliveryOrderIndexes },
  { name: "attempt posts", minVersion: 1, statements: attemptPosts },
  { name: "changed leads", minVersion: 1, statements: changedLeads },
  { name: "removals", minVersion: 1, statements: removals },
  { name: "statistics", minVersion: 1, statements: statistics },
  { name: "short signal lists", minVersion: 1, statements: shortSignalLists },
  { name: "covering orders", minVersion: 1, statements: coveringOrders, indexes: coveringOrderIndexes },
  { name: "attempt batches", minVersion: 1, indexes: attemptBatchIndexes }
]

/** The number of the newest migration. */
export const newestMigration = migrations.length

const numberOf = (wanted: string): number => migrations.findIndex(({ name }) => name === wanted) + 1

/** The number of the migration that versions must know to use an encrypted database. */
export const encryptionMigration: number = numberOf("encryption")

/** The number of the migration from which on a database records removals. */
export const removalMigration: number = numberOf("removals")

/** How a node migrates the schema, or waits for one that does. */
export interface MigrationOptions {
  /** Called before each migration. */
  readonly onMigrating: (migrating: Migrating) => void
  /** Other migrations than those of this version; for tests. */
  readonly migrations?: ReadonlyArray<Migration>
  /** Whether a pooler stands between, which may give each transaction another session. */
  readonly isPooled: boolean
}

/** The progress of migrating an older schema, or of waiting for another node that does. */
export interface Migrating {
  /** How much is done, from 0 to 1. */
  readonly fraction: number
  /** The current step, for the operator. */
  readonly doing: string
}

/** Milliseconds that a migration waits for a table: others who want it wait behind it. */
const lockTimeoutMillis = 2000
/** What the server answers when the table was not free in time, and when others waited for each other and for it. */
const inTheWay: ReadonlySet<string> = new Set(["55P03", "40P01"])
/** Milliseconds until it tries again. */
const retryMillis = 500
/** Milliseconds until a node that waits for another one's migration looks again. */
const lockRetryMillis = 100

const problem = (reason: string) => new StoreUnavailable({ reason })

/** Fails on a schema that needs software of another version than this. */
export const refuseNewer = (
  { id, min_version }: { readonly id: number; readonly min_version: number },
  schema: string,
  known: number = newestMigration
): void => {
  if (min_version <= known) return
  throw problem(
    `the schema ${schema} is of a newer version of Lead Signals (${id}, this one knows ${known}): use that version, or a backup of before`
  )
}

/** One connection that migrates. */
class Migrator {
  private readonly client: pg.PoolClient
  private readonly schema: string
  private readonly known: ReadonlyArray<Migration>
  private readonly options: MigrationOptions

  constructor(
    client: pg.PoolClient,
    schema: string,
    known: ReadonlyArray<Migration>,
    options: MigrationOptions
  ) {
    this.client = client
    this.schema = schema
    this.known = known
    this.options = options
  }

  private async query<Row extends pg.QueryResultRow>(
    text: string,
    values: Array<unknown> = []
  ): Promise<ReadonlyArray<Row>> {
    try {
      const sent = inSchema(text, this.schema)
      return (
        await (values.length === 0 ? this.client.query<Row>(sent) : this.client.query<Row>(sent, values))
      ).rows
    } catch (error) {
      throw new QueryFailure(error)
    }
  }

  /** How many migrations the schema has; fails when it needs newer software. */
  async version(): Promise<number> {
    const [found] = await this.query<{ readonly is_there: boolean; readonly tables: number }>(
      `SELECT to_regclass($1) IS NOT NULL AS is_there,
         (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $2 AND c.relkind = 'r')::int AS tables`,
      [`${quoted(this.schema)}.migration`, this.schema]
    )
    if (!found!.is_there) {
      if (found!.tables === 0) return 0
      throw problem(`the schema ${this.schema} holds tables of another program: name another schema`)
    }
    const [row] = await this.query<{ readonly id: number; readonly min_version: number }>(
      "SELECT coalesce(max(id), 0) AS id, coalesce(max(min_version), 0) AS min_version FROM lead_signals.migration"
    )
    refuseNewer(row!, this.schema, this.known.length)
    return row!.id
  }

  /** Runs what is missing; one node at a time. */
  async run(): Promise<void> {
    if ((await this.version()) >= this.known.length) return
    // The server's limits of time are for requests. The connection is closed afterwards.
    if (!this.options.isPooled)
      await this.query("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")
    await this.locked(async () => {
      await this.query(`CREATE SCHEMA IF NOT EXISTS ${quoted(this.schema)}`)
      await this.query(
        `CREATE TABLE IF NOT EXISTS lead_signals.migration (id integer PRIMARY KEY, name text COLLATE "C" NOT NULL,
           min_version integer NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`
      )
      const version = await this.version()
      for (const [i, migration] of this.known.entries()) {
        if (i < version) continue
        this.options.onMigrating({
          fraction: (i - version) / (this.known.length - version),
          doing: `bringing the database to this version, step ${i + 1 - version} of ${this.known.length - version}: ${migration.name}`
        })
        await this.step(i + 1, migration)
      }
    })
  }

  /** Under the advisory lock of the schema, which ends with the session at the latest. */
  private async locked(work: () => Promise<void>): Promise<void> {
    const key = `lead-signals migration ${this.schema}`
    if (this.options.isPooled) {
      throw problem(
        "the database has to be migrated, which a pooler prevents: run the migrations over a connection to the server itself"
      )
    }
    const take = async (): Promise<boolean> => {
      const [lock] = await this.query<{ readonly got: boolean }>(
        "SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS got",
        [key]
      )
      return lock!.got
    }
    if (!(await take())) {
      this.options.onMigrating({ fraction: 0, doing: "waiting for another node that migrates the database" })
      // A statement that waits for the lock would keep its snapshot, for which CREATE INDEX CONCURRENTLY waits in turn.
      do await sleep(lockRetryMillis)
      while (!(await take()))
    }
    await work()
  }

  private async step(
    id: number,
    { indexes = {}, minVersion, name, statements = "" }: Migration
  ): Promise<void> {
    for (const [index, text] of Object.entries(indexes)) await this.buildIndex(index, text)
    const literal = this.client.escapeLiteral(name)
    const record = `INSERT INTO lead_signals.migration (id, name, min_version) VALUES (${id}, ${literal}, ${minVersion})`
    for (;;) {
      try {
        await this.query(
          `BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMillis}; ${statements}; ${record}; COMMIT`
        )
        return
      } catch (error) {
        if (!(error instanceof QueryFailure) || error.sqlState === null) throw error
        await this.query("ROLLBACK")
        if (!inTheWay.has(error.sqlState)) throw error
        await sleep(retryMillis)
      }
    }
  }

  /**
   * A build that was killed, or that waited for others in a circle, leaves an index that is not valid and that no query uses: the next
   * attempt removes it. A build waits for the transactions that there are while it holds a lock that they may want.
   */
  private async buildIndex(index: string, text: string): Promise<void> {
    for (;;) {
      try {
        await this.tryBuildingIndex(index, text)
        return
      } catch (error) {
        if (!(error instanceof QueryFailure) || !inTheWay.has(error.sqlState ?? "")) throw error
        await sleep(retryMillis)
      }
    }
  }

  private async tryBuildingIndex(index: string, text: string): Promise<void> {
    const [found] = await this.query<{ readonly indisvalid: boolean }>(
      `SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = $1 AND c.relname = $2`,
      [this.schema, index]
    )
    if (found?.indisvalid === true) return
    if (found !== undefined) await this.query(`DROP INDEX CONCURRENTLY lead_signals.${quoted(index)}`)
    await this.query(text)
  }
}

/**
 * Brings the schema to this version; a newer one that this version can use stays as it is. Rejects with `StoreUnavailable` when the
 * database can't be reached, or the schema needs newer software or is another program's.
 */
export const migrate = async (pool: ClientPool, schema: string, options: MigrationOptions): Promise<void> => {
  ignoreLosses(pool)
  let client: pg.PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    throw unavailable(new QueryFailure(error))
  }
  client.on("error", () => {})
  try {
    await new Migrator(client, schema, options.migrations ?? migrations, options).run()
  } catch (error) {
    throw error instanceof QueryFailure ? unavailable(error) : error
  } finally {
    // With the session ends its lock.
    client.release(true)
  }
}
