/**
 * Every store port of Lead Signals, kept in a SQLite file.
 *
 * The folders import one way; each may import those before it:
 * - `connection/` opens a file, and retries and shares reads over one connection;
 * - `schema/` holds the tables and the migrations that lead to them;
 * - `journal/` records beside the file what was removed, for the restore of a backup;
 * - `cache/` keeps values by the version of the file;
 * - `rows/` turns rows into domain values;
 * - `search/` maintains the full-text indexes;
 * - `filter/` turns filters and sorts into SQL;
 * - `rank-index/` finds the position of a lead in an order by counts;
 * - `query/` plans and reads pages of leads;
 * - `writes/` holds the writes that stores, the worker and the restore of a backup share;
 * - `worker/` runs jobs in threads;
 * - `database/` joins connections, worker and write-ahead log into one database, which commits in groups;
 * - `stores/` implements the ports, one file each;
 * - `maintenance/` checks, copies, restores and locks a file for its operator;
 * - `simulation/` is what the simulator has beside the ports.
 */
import { CommitSize, type CopyTarget, type StorePorts, type StoreUnavailable } from "@lead-signals/domain"
import type { EncryptionKey } from "@lead-signals/encryption"
import { Effect, Layer, type Scope } from "effect"
import { encryptionOf, type EncryptionOptions } from "./connection/StoreEncryption.ts"
import type { HostClient } from "./connection/HostClient.ts"
import * as FileDatabase from "./database/FileDatabase.ts"
import * as HostDatabase from "./database/HostDatabase.ts"
import type { Migrating } from "./schema/Migrations.ts"

import * as Copy from "./maintenance/Copy.ts"
import * as RankIndex from "./rank-index/RankIndex.ts"
import * as SearchTail from "./search/SearchTail.ts"
import * as SearchTexts from "./stores/SearchTexts.ts"
import * as SqliteAccessTokenStore from "./stores/SqliteAccessTokenStore.ts"
import * as SqliteAuditLog from "./stores/SqliteAuditLog.ts"
import * as SqliteBrandStore from "./stores/SqliteBrandStore.ts"
import * as SqliteCampaignStore from "./stores/SqliteCampaignStore.ts"
import * as SqliteDeliveries from "./stores/SqliteDeliveries.ts"
import * as SqliteIdempotencyRecords from "./stores/SqliteIdempotencyRecords.ts"
import * as SqliteKeyStore from "./stores/SqliteKeyStore.ts"
import * as SqliteLeadStore from "./stores/SqliteLeadStore.ts"
import * as SqliteOutbox from "./stores/SqliteOutbox.ts"
import * as SqlitePruning from "./stores/SqlitePruning.ts"
import * as SqliteRateWindows from "./stores/SqliteRateWindows.ts"
import * as SqliteSignalStore from "./stores/SqliteSignalStore.ts"
import * as SqliteStoreHealth from "./stores/SqliteStoreHealth.ts"
import * as SqliteWebhookStore from "./stores/SqliteWebhookStore.ts"
import * as TickScheduler from "./connection/TickScheduler.ts"

export { type Backup, backup, type BackupOptions, TargetExists } from "./maintenance/Backup.ts"
export { check, type Checked } from "./maintenance/Check.ts"
export { databaseIdOf } from "./maintenance/DatabaseId.ts"
export type { EncryptionOptions } from "./connection/StoreEncryption.ts"
export { rekey, type Rekeyed, type Rekeying } from "./maintenance/Rekey.ts"
export { copySource, removeUnfinishedCopy } from "./maintenance/Copy.ts"
export { restore, type Restored, type RestoreOptions } from "./maintenance/Restore.ts"
export type { CopyCounts } from "./connection/VerifyCopy.ts"
export { exclusively } from "./maintenance/ExclusiveLock.ts"
export type { HostClient, HostFailure, HostTransaction } from "./connection/HostClient.ts"
export type { Migrating } from "./schema/Migrations.ts"
export * as TickScheduler from "./connection/TickScheduler.ts"

/** The options of `layer`. Only `filename` is required. */
export interface SqliteStoreOptions {
  /** Path of the file. The store makes it, with its folder, if it is missing, and migrates it if it is of an older version. */
  readonly filename: string
  /**
   * `true` unless given: a commit is on the disk when its write succeeds. `false`, for tests and simulations: commits survive
   * the end of the process, however sudden, but a loss of power can damage the file.
   */
  readonly synced?: boolean
  /**
   * Runs within each transaction of this thread that writes, when all of it is written and nothing is committed. A simulation
   * lets the process die there. `synchronous` answers SQLite's setting of that name with which it commits: from 2 on the
   * commit is synced.
   */
  readonly beforeCommit?: (synchronous: () => number) => void
  /**
   * Writes of one tick share a commit, and its reads share one state of the file. Ticks of the event loop unless given; a
   * simulation, which schedules by itself, passes `TickScheduler.withoutThreads`.
   */
  readonly ticks?: TickScheduler.TickScheduler
  /**
   * Milliseconds that the transaction of a group of writes takes at most, 12 unless given, so that other work runs in between;
   * one write may take longer. `Infinity` where groups must not depend on the speed of the machine.
   */
  readonly groupMillis?: number
  /** When the rank index finds a page, and when its buckets split; for tests with few leads. `RankIndex.defaults` unless given. */
  readonly rankIndex?: Partial<RankIndex.RankIndexOptions>
  /**
   * The number of leads, 10,000 unless given, that a list, an erasure or a migration may read on the host's thread;
   * more run in a worker thread. Where there is none, as `TickScheduler.withoutThreads` says, a list that takes more is read
   * in place as that thread would read it. `Infinity` where nothing is to be offloaded.
   */
  readonly maxEffort?: number
  /**
   * The number of new leads, 128 unless given, that wait for the search indexes at most. Searches compare their texts meanwhile. 0 where each
   * commit writes to the indexes.
   */
  readonly maxUnindexed?: number
  /** When brands' texts are kept in memory for searches. `SearchTexts.defaults` unless given. */
  readonly searchTexts?: Partial<SearchTexts.SearchTextsOptions>
  /** Called with the progress of the migrations of an older or a new file. */
  readonly onMigrating?: (migrating: Migrating) => void
  /** Encrypts the file, or wraps secrets in it; neither unless given. */
  readonly encryption?: EncryptionOptions
  /**
   * Path of the journal of removals, beside the file as `…-removals` unless given. On another disk it outlives that of the file. Its folder must be
   * there. All processes on the file name the same journal.
   */
  readonly journal?: string | undefined
}

const ports = (options: SqliteLeadStore.LeadStoreOptions, searchTexts: SearchTexts.SearchTextsOptions) =>
  Layer.mergeAll(
    SqliteBrandStore.layer,
    SqliteIdempotencyRecords.layer,
    SqliteKeyStore.layer,
    SqliteAccessTokenStore.layer,
    SqliteAuditLog.layer,
    SqliteSignalStore.layer,
    SqliteCampaignStore.layer,
    SqliteWebhookStore.layer,
    SqliteStoreHealth.layer,
    SqliteLeadStore.layer(options, searchTexts),
    Layer.succeed(CommitSize, SqliteLeadStore.commitSize),
    SqliteOutbox.layer,
    SqliteDeliveries.layer,
    SqlitePruning.layer
  )

/**
 * All store ports over one file, which several processes may use at once. Fails with `StoreUnavailable` when the file
 * can't be made, opened or migrated, belongs to another application, needs another encryption key or none, or was
 * written by a newer version. [STORE-4, STORE-5]
 */
export const layer = ({
  beforeCommit = () => {},
  encryption,
  filename,
  maxEffort = 10_000,
  maxUnindexed = SearchTail.maxUnindexed,
  groupMillis = 12,
  journal,
  onMigrating = () => {},
  rankIndex = {},
  searchTexts = {},
  synced = true,
  ticks = TickScheduler.ofEventLoop
}: SqliteStoreOptions): Layer.Layer<StorePorts, StoreUnavailable> =>
  // `Layer.build` keeps two stores of one program apart, which would share layers otherwise.
  Layer.scopedContext(
    Layer.build(
      ports(
        { rankIndex: { ...RankIndex.defaults, ...rankIndex }, maxEffort, maxUnindexed },
        { ...SearchTexts.defaults, ...searchTexts }
      ).pipe(
        Layer.provide(
          FileDatabase.layer(filename, {
            synced,
            beforeCommit,
            groupMillis,
            ticks,
            maxEffort,
            onMigrating,
            journal,
            encryption: encryptionOf(encryption)
          })
        ),
        // The rate windows come second: a refused file gets no other file beside it.
        Layer.flatMap((made) =>
          Layer.merge(
            Layer.succeedContext(made),
            SqliteRateWindows.layer(`${filename}-limits`, encryptionOf(encryption).fileKey)
          )
        )
      )
    )
  )

/** The options of `layerOver`. */
export interface HostStoreOptions {
  /**
   * Stands before the name of each table, index and trigger of the store: a letter or underscore, and up to 62 letters, digits and
   * underscores after it. `lead_signals_` unless given.
   */
  readonly tablePrefix?: string
  /** As of `SqliteStoreOptions`. */
  readonly rankIndex?: Partial<RankIndex.RankIndexOptions>
  /** As of `SqliteStoreOptions`. */
  readonly maxUnindexed?: number
  /** Wraps the secrets of brands and webhooks under the key. The host encrypts its file itself. */
  readonly encryptionKey?: EncryptionKey
}

/**
 * All store ports over the host's own database, by its client of `@effect/sql-sqlite-node`. A method that runs within the host's
 * `withTransaction` is a part of that transaction: it commits or vanishes with the host's rows, and webhooks fire after the
 * commit. Elsewhere a method is a transaction of its own. Tables are made at first, beside the host's, with a prefix.
 *
 * It has no worker threads, and keeps nothing that it has read, because a host can roll back: a search that finds much takes the
 * host's thread, and lists are slower than those of `layer`. Rate windows are kept in memory. After an erasure within a
 * transaction run `PRAGMA wal_checkpoint(TRUNCATE)` when it has committed, so that the log does not keep the person. [PII-3]
 *
 * Fails with `StoreUnavailable` when the tables can't be made or migrated, were written by a newer version, or the prefix is not
 * a name.
 */
export const layerOver = (
  client: HostClient,
  {
    encryptionKey,
    maxUnindexed = SearchTail.maxUnindexed,
    rankIndex = {},
    tablePrefix = "lead_signals_"
  }: HostStoreOptions = {}
): Layer.Layer<StorePorts, StoreUnavailable> =>
  Layer.scopedContext(
    Layer.build(
      Layer.merge(
        Layer.provide(
          ports(
            {
              rankIndex: { ...RankIndex.defaults, ...rankIndex },
              maxEffort: Number.POSITIVE_INFINITY,
              maxUnindexed
            },
            SearchTexts.defaults
          ),
          HostDatabase.layerOver(
            client,
            tablePrefix,
            encryptionOf(encryptionKey && { key: encryptionKey }).secrets
          )
        ),
        SqliteRateWindows.inMemory
      )
    )
  )

/**
 * Opens a file that a copy from another store fills: a new one, or one that an unfinished copy left beside `filename`. It gets its name
 * when the copy is finished. `encryption` is that of the new file. Fails with `StoreUnavailable`, when there is a file of the name, too. [STORE-10]
 */
export const copyTarget = (
  filename: string,
  encryption?: EncryptionOptions
): Effect.Effect<CopyTarget, StoreUnavailable, Scope.Scope> =>
  Copy.copyTarget(filename, encryptionOf(encryption), (unfinished) =>
    Effect.scoped(
      Effect.asVoid(
        Layer.build(layer({ filename: unfinished, ...(encryption === undefined ? {} : { encryption }) }))
      )
    )
  )
