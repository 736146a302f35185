/**
 * Every store port of Lead Signals, kept in a SQLite file.
 *
 * The folders import one way; each may import those before it:
 * - `connection/` opens a file, and retries and shares reads over one connection;
 * - `schema/` holds the tables and the migrations that lead to them;
 * - `cache/` keeps values by the version of the file;
 * - `rows/` turns rows into domain values;
 * - `search/` maintains the full-text indexes;
 * - `filter/` turns filters and sorts into SQL;
 * - `rank-index/` finds the place of a lead in an order by counts;
 * - `query/` plans and reads pages of leads;
 * - `writes/` holds the writes that stores and the worker share;
 * - `worker/` runs jobs in threads;
 * - `database/` joins connections, worker and log into one file that commits in groups;
 * - `stores/` implements the ports, one file a port;
 * - `maintenance/` checks, copies and locks a file for its operator.
 */
import type { StorePorts, StoreUnavailable } from "@lead-signals/domain"
import { Layer } from "effect"
import * as Database from "./database/Database.ts"
import type { Migrating } from "./schema/Migrations.ts"
import * as Positions from "./rank-index/Positions.ts"
import * as SqliteBrandStore from "./stores/SqliteBrandStore.ts"
import * as SqliteCampaignStore from "./stores/SqliteCampaignStore.ts"
import * as SqliteDeliveries from "./stores/SqliteDeliveries.ts"
import * as SqliteKeyStore from "./stores/SqliteKeyStore.ts"
import * as SqliteLeadStore from "./stores/SqliteLeadStore.ts"
import * as SqliteOutbox from "./stores/SqliteOutbox.ts"
import * as SqliteRateWindows from "./stores/SqliteRateWindows.ts"
import * as SqliteSignalStore from "./stores/SqliteSignalStore.ts"
import * as SqliteStoreHealth from "./stores/SqliteStoreHealth.ts"
import * as SqliteWebhookStore from "./stores/SqliteWebhookStore.ts"
import * as TickScheduler from "./connection/TickScheduler.ts"

export { type Backup, backup, TargetExists } from "./maintenance/Backup.ts"
export { check, type Checked } from "./maintenance/Check.ts"
export type { QueryConnection } from "./connection/Connection.ts"
export { exclusively } from "./maintenance/ExclusiveLock.ts"
export * as FilterCounts from "./query/FilterCounts.ts"
export * as LeadListing from "./query/LeadListing.ts"
export type { Migrating } from "./schema/Migrations.ts"
export * as Ordering from "./filter/Ordering.ts"
export type { Param } from "./connection/Param.ts"
export * as Positions from "./rank-index/Positions.ts"
export * as SearchIndex from "./search/SearchIndex.ts"
export * as Selection from "./filter/Selection.ts"
export * as TickScheduler from "./connection/TickScheduler.ts"
export { rebuildDerivedTables } from "./rank-index/DerivedTables.ts"

export interface SqliteStoreOptions {
  /** Path of the file. It is made, with its folder, if it is not there, and migrated if it is of an older version. */
  readonly filename: string
  /**
   * `false`: what is committed survives the end of the process, however sudden; a loss of power can damage the file. For
   * tests and simulations, which commit often and keep nothing. Otherwise a commit is on the disk when it is answered.
   */
  readonly synced?: boolean
  /**
   * Runs within each transaction that writes leads or deliveries, when all of it is written and nothing is committed: where
   * a simulation lets the process die.
   */
  readonly beforeCommit?: () => void
  /**
   * Writes of one tick share a commit, and reads one state of the file: ticks of the event loop unless given. A simulation,
   * which schedules by itself, lets nobody wait: `TickScheduler.none`.
   */
  readonly ticks?: TickScheduler.TickScheduler
  /**
   * Those that wait at the same time share a transaction for as many milliseconds, 12 unless given; `Infinity` where nobody
   * else is to be served, or how long anything takes must not matter.
   */
  readonly groupMillis?: number
  /** When places in an order are found by counting, for tests with few leads. */
  readonly positions?: Partial<Positions.PositionOptions>
  /**
   * What takes longer than to look at about so many leads is done in a thread, while this one serves others: lists, erasures,
   * and bringing an older file to this version; `Infinity` where there can be no thread.
   */
  readonly maxEffort?: number
  /** Told how far an older file, or a new one, is on its way to this version. */
  readonly onMigrating?: (migrating: Migrating) => void
}

/**
 * All store ports over one file. Several processes may use one file at once. Fails when the file can't be made, is no
 * database of ours, or was written by a newer version.
 */
export const layer = ({
  beforeCommit = () => {},
  filename,
  maxEffort = 10_000,
  groupMillis = 12,
  onMigrating = () => {},
  positions = {},
  synced = true,
  ticks = TickScheduler.ofEventLoop
}: SqliteStoreOptions): Layer.Layer<StorePorts, StoreUnavailable> =>
  // Built apart from the layers around it: what is shared there by name would be shared by two files, too.
  Layer.scopedContext(
    Layer.build(
      Layer.mergeAll(
        SqliteBrandStore.layer,
        SqliteKeyStore.layer,
        SqliteSignalStore.layer,
        SqliteCampaignStore.layer,
        SqliteWebhookStore.layer,
        SqliteStoreHealth.layer,
        SqliteLeadStore.layer({ positions: { ...Positions.defaults, ...positions }, maxEffort }),
        SqliteOutbox.layer,
        SqliteDeliveries.layer
      ).pipe(
        Layer.provide(
          Database.layer(filename, { synced, beforeCommit, groupMillis, ticks, maxEffort, onMigrating })
        ),
        // After it: beside a file that is refused nothing is made.
        Layer.flatMap((made) =>
          Layer.merge(Layer.succeedContext(made), SqliteRateWindows.layer(`${filename}-limits`))
        )
      )
    )
  )
