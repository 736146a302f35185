/**
 * Every store port of Lead Signals, kept in a Postgres database that several nodes share.
 *
 * The folders import one way; each may import those before it:
 * - `sealing/` has the encryption keys, and seals values under keys of persons;
 * - `connection/` runs statements and transactions over a pool of connections, and shows the database's time;
 * - `schema/` holds the tables and the migrations that lead to them;
 * - `journal/` says, in a file beside the database, what was removed, for the restore of a dump;
 * - `rows/` turns rows into domain values;
 * - `query/` plans and reads pages of leads;
 * - `writes/` holds the writes that stores share;
 * - `stores/` implements the ports, one file a port;
 * - `maintenance/` checks, copies, restores and locks a database for its operator.
 */
import { CommitSize, type StorePorts, type StoreUnavailable } from "@lead-signals/domain"
import type { EncryptionKey } from "@lead-signals/encryption"
import { Layer } from "effect"
import type pg from "pg"
import type { ClientPool } from "./connection/Clients.ts"
import * as Database from "./connection/Database.ts"
import { DatabaseClock } from "./connection/DatabaseClock.ts"
import { openJournal } from "./journal/JournalSync.ts"
import type { ListingOptions } from "./query/LeadPages.ts"
import { plannerSettingNames } from "./query/PlannerSettings.ts"
import { awaitsEncryption, encryptEmpty, verifyKeys } from "./schema/EncryptionState.ts"
import { migrate, type Migrating, type Migration } from "./schema/Migrations.ts"
import { storeKeys } from "./sealing/StoreKeys.ts"
import * as PostgresAccessTokenStore from "./stores/PostgresAccessTokenStore.ts"
import * as PostgresAuditLog from "./stores/PostgresAuditLog.ts"
import * as PostgresBrandStore from "./stores/PostgresBrandStore.ts"
import * as PostgresCampaignStore from "./stores/PostgresCampaignStore.ts"
import * as PostgresDeliveries from "./stores/PostgresDeliveries.ts"
import * as PostgresIdempotencyRecords from "./stores/PostgresIdempotencyRecords.ts"
import * as PostgresKeyStore from "./stores/PostgresKeyStore.ts"
import * as PostgresLeadStore from "./stores/PostgresLeadStore.ts"
import * as PostgresOutbox from "./stores/PostgresOutbox.ts"
import * as PostgresPruning from "./stores/PostgresPruning.ts"
import * as PostgresRateWindows from "./stores/PostgresRateWindows.ts"
import * as PostgresSignalStore from "./stores/PostgresSignalStore.ts"
import * as PostgresStoreHealth from "./stores/PostgresStoreHealth.ts"
import * as PostgresWebhookStore from "./stores/PostgresWebhookStore.ts"

export { check, type Checked } from "./maintenance/Check.ts"
export { copySource, copyTarget, removeUnfinishedCopy } from "./maintenance/Copy.ts"
export { exclusively } from "./maintenance/ExclusiveLock.ts"
export { rekey, type Rekeyed } from "./maintenance/Rekey.ts"
export { restore, type Restored, type RestoreOptions } from "./maintenance/Restore.ts"
export { DatabaseClock }
export type { Migrating } from "./schema/Migrations.ts"

/** What `layer` and `layerWith` have in common. */
export interface PostgresSchemaOptions {
  /** The schema that holds the tables, `lead_signals` unless given. It is made when it is missing. */
  readonly schema?: string
  /**
   * `true` unless given: connections keep statements prepared. `false` for PgBouncer before 1.21 in transaction mode, which loses
   * them.
   */
  readonly preparedStatements?: boolean
  /**
   * Milliseconds, 10,000 unless given, that one statement may take, and after which a transaction runs no further statement.
   * Longer ones fail with `StoreUnavailable`. Erasures and changes of webhooks, which write any number of rows, have 30 minutes, and wait
   * for each lock for this time; within a host's transaction, for as long as the host's settings let them.
   */
  readonly statementTimeoutMillis?: number
  /** `true` unless given: a missing or older schema is brought to this version. `false` leaves it to another program. */
  readonly migrates?: boolean
  /** Called with the progress of migrations. */
  readonly onMigrating?: (migrating: Migrating) => void
  /** A clock that the store sets to the database's time. The host installs it with `Layer.setClock`. */
  readonly clock?: DatabaseClock
  /** When lists change from one way to another, and when rank buckets split; for tests with few leads. */
  readonly listing?: Partial<ListingOptions>
  /** Awaited before each statement of a transaction that writes, and before its commit; for tests of interleaved transactions. */
  readonly beforeStatement?: (text: string) => Promise<void>
  /** Other migrations than those of this version; for tests. */
  readonly migrations?: ReadonlyArray<Migration>
  /**
   * Seals personal fields under keys of their persons, and wraps those and the secrets of webhooks and brands under this key. A database
   * without brands becomes encrypted; for another one, and for a change of the key, there is `rekey`.
   */
  readonly encryptionKey?: EncryptionKey
  /** The other key, while `rekey` replaces one by the other under running nodes: each of them has both. */
  readonly otherEncryptionKey?: EncryptionKey
  /**
   * Folder of the journal of removals, which `restore` reads; none is kept unless given. The file in it is named after the database. The folder must
   * be there, away from the database's disk; nodes may share it. Within a host's transaction no journal is written: a store that is not within
   * one does it later.
   */
  readonly journalFolder?: string | undefined
}

/** The options of `layer`. Only `url` is required. */
export interface PostgresStoreOptions extends PostgresSchemaOptions {
  /** `postgres://user:password@host:port/database`, with the parameters that `pg` reads, such as `sslmode`. */
  readonly url: string
  /** Connections at most, 10 unless given. One more listens for notifications. */
  readonly maxConnections?: number
  /** Milliseconds, 5,000 unless given, that a connection may take to be made, or to become free. */
  readonly connectTimeoutMillis?: number
  /** The name that the server shows for the connections, `lead-signals` unless given. */
  readonly applicationName?: string
  /** `true` unless given: nodes tell each other when deliveries are due. `false` behind PgBouncer in transaction mode. */
  readonly notifications?: boolean
  /**
   * `false` unless given. `true` behind a pooler that hands connections on between transactions: the store sets nothing on a
   * session, and refuses to migrate.
   */
  readonly pooled?: boolean
  /** Further options of `pg`'s pool, such as `ssl` or `password` as a function. */
  readonly pool?: pg.PoolConfig
}

const databaseOptions = (options: PostgresSchemaOptions, isPooled: boolean): Database.DatabaseOptions => ({
  schema: options.schema ?? "lead_signals",
  preparedStatements: options.preparedStatements ?? true,
  statementTimeoutMillis: options.statementTimeoutMillis ?? 10_000,
  beforeStatement: options.beforeStatement,
  clock: options.clock,
  keys: storeKeys(options.encryptionKey, options.otherEncryptionKey),
  beginEncryption: async (transactor) => {
    if (await transactor.read(awaitsEncryption)) await transactor.write(encryptEmpty)
  },
  verifyKeys,
  openJournal: openJournal(options.journalFolder),
  migrate:
    (options.migrates ?? true)
      ? (pool) =>
          migrate(pool, options.schema ?? "lead_signals", {
            isPooled,
            onMigrating: options.onMigrating ?? (() => {}),
            ...(options.migrations === undefined ? {} : { migrations: options.migrations })
          })
      : null
})

const storesOver = (
  database: Layer.Layer<Database.Database, StoreUnavailable>,
  { listing }: PostgresSchemaOptions
): Layer.Layer<StorePorts, StoreUnavailable> =>
  // `Layer.build` keeps two stores of one program apart, which would share layers otherwise.
  Layer.scopedContext(
    Layer.build(
      Layer.mergeAll(
        PostgresBrandStore.layer,
        PostgresIdempotencyRecords.layer,
        PostgresKeyStore.layer,
        PostgresAccessTokenStore.layer,
        PostgresAuditLog.layer,
        PostgresSignalStore.layer,
        PostgresCampaignStore.layer,
        PostgresWebhookStore.layer,
        PostgresStoreHealth.layer,
        PostgresLeadStore.layer(listing),
        PostgresOutbox.layer,
        PostgresDeliveries.layer,
        PostgresRateWindows.layer,
        Layer.succeed(CommitSize, PostgresLeadStore.commitSize),
        PostgresPruning.layer(listing)
      ).pipe(Layer.provide(database))
    )
  )

/**
 * All store ports over a database, which several processes on several machines may use at once. Fails with `StoreUnavailable` when the
 * database can't be reached or migrated, or is of a newer version that this one can't use.
 */
export const layer = (options: PostgresStoreOptions): Layer.Layer<StorePorts, StoreUnavailable> => {
  const isPooled = options.pooled ?? false
  return storesOver(
    Database.layer(databaseOptions(options, isPooled), {
      config: {
        connectionString: options.url,
        max: options.maxConnections ?? 10,
        connectionTimeoutMillis: options.connectTimeoutMillis ?? 5000,
        application_name: options.applicationName ?? "lead-signals",
        keepAlive: true,
        ...options.pool
      },
      isPooled,
      notifications: options.notifications ?? !isPooled
    }),
    options
  )
}

/** A pool, or a client on which the host has begun a transaction. */
type PoolOrClient = ClientPool | pg.ClientBase

const isPool = (given: PoolOrClient): given is ClientPool => "totalCount" in given

/**
 * `layer`, which also sets Effect's clock to the database's time in all that is built upon it. It is for hosts of several nodes, whose own
 * clocks may differ: leases, rate windows and times of leads then come from one clock. Fails as `layer` does.
 */
export const layerWithClock = (
  options: Omit<PostgresStoreOptions, "clock">
): Layer.Layer<StorePorts, StoreUnavailable> =>
  Layer.suspend(() => {
    const clock = new DatabaseClock()
    return Layer.provideMerge(layer({ ...options, clock }), Layer.setClock(clock))
  })

/**
 * All store ports over connections of the host's.
 *
 * Over a `pg.Pool`, which the host closes, the ports behave as those of `layer`; they hear no notifications of other nodes.
 *
 * Over a client, all that the ports read and write belongs to the transaction that the host has begun on it, with `READ COMMITTED` or
 * stricter: it is committed or rolled back by the host. Each method is a savepoint, so that one that fails has changed nothing. Nothing
 * runs again: after a deadlock the host repeats its transaction. Other transactions wait for the rows and persons that were written,
 * so the host commits soon. Webhooks are posted after the commit, by an emitter over another layer. Close the layer, and what uses it,
 * before the transaction ends. The schema must be there: nothing migrates within the host's transaction.
 *
 * Fails as `layer` does.
 */
export const layerWith = (
  poolOrClient: PoolOrClient,
  options: PostgresSchemaOptions = {}
): Layer.Layer<StorePorts, StoreUnavailable> =>
  storesOver(
    isPool(poolOrClient)
      ? Database.layerOverPool(poolOrClient, databaseOptions(options, false))
      : Database.layerOverClient(poolOrClient, databaseOptions(options, false), plannerSettingNames),
    options
  )
