/** The store that the setting `LEAD_SIGNALS_DATABASE` names. Postgres is loaded only when it is used. */
import type { CopySource, CopyTarget, StorePorts, StoreUnavailable } from "@lead-signals/domain"
import * as MemoryStore from "@lead-signals/store-memory"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Layer, type Scope } from "effect"
import type { EncryptionKey } from "@lead-signals/encryption"
import type { RestoreRefused } from "@lead-signals/removal-journal"
import type {
  PostgresStoreOptions,
  Restored as PostgresRestored,
  RestoreOptions as PostgresRestoreOptions
} from "@lead-signals/store-postgres"
import { kindOf } from "./DatabaseLocation.ts"
import type { Encryption } from "./EncryptionSettings.ts"
import { sqliteJournalIn } from "./JournalSettings.ts"
import { type PoolerMode, poolerOptions } from "./PostgresSettings.ts"
import { progress, type Stream } from "./Progress.ts"

const postgres = Effect.promise(() => import("@lead-signals/store-postgres"))

/** Opening an older database migrates it first, which takes minutes when it holds many leads. */
const migrating = (out: Stream) => {
  const line = progress(out, () => performance.now())
  const clear = Effect.sync(() => line.clear())
  return {
    onMigrating: ({ doing, fraction }: { readonly doing: string; readonly fraction: number }): void =>
      line.update({ fraction, text: doing }),
    clearAfter: <A, E>(store: Layer.Layer<A, E>): Layer.Layer<A, E> =>
      store.pipe(
        Layer.tap(() => clear),
        Layer.tapErrorCause(() => clear)
      )
  }
}

/** The options of a store on Postgres that is encrypted. */
const postgresKeys = (
  encryption: Encryption | null
): Pick<PostgresStoreOptions, "encryptionKey" | "otherEncryptionKey"> =>
  encryption === null
    ? {}
    : {
        encryptionKey: encryption.key,
        ...(encryption.next === undefined ? {} : { otherEncryptionKey: encryption.next })
      }

/** What stores take beside their location. */
export interface StoreOptions {
  /** The mode of a pooler before Postgres. */
  readonly pooler: PoolerMode
  /** How many leads a SQLite store keeps in memory for searches, at most. */
  readonly searchMemoryBytes: number
  /** The folder of the journal of removals; null: beside a SQLite file, and none on Postgres. */
  readonly journalFolder: string | null
  /** Where the progress of bringing an older database to this version is shown. */
  readonly progressOutput: Stream
}

/** All store ports over the database. On Postgres everything that is built on the layer reads the database's time from `Clock`. */
export const storeLayer = (
  database: string,
  encryption: Encryption | null,
  { journalFolder, pooler, progressOutput, searchMemoryBytes }: StoreOptions
): Layer.Layer<StorePorts, StoreUnavailable> => {
  switch (kindOf(database)) {
    case "memory":
      return MemoryStore.layer
    case "sqlite":
      return Layer.suspend(() => {
        const { clearAfter, onMigrating } = migrating(progressOutput)
        return clearAfter(
          SqliteStore.layer({
            filename: database,
            onMigrating,
            journal: journalFolder === null ? undefined : sqliteJournalIn(journalFolder, database),
            searchTexts: { maxBytes: searchMemoryBytes },
            ...(encryption === null ? {} : { encryption })
          })
        )
      })
    case "postgres":
      return Layer.unwrapEffect(
        Effect.map(postgres, ({ layerWithClock }) => {
          const { clearAfter, onMigrating } = migrating(progressOutput)
          return clearAfter(
            layerWithClock({
              url: database,
              onMigrating,
              journalFolder: journalFolder ?? undefined,
              ...poolerOptions[pooler],
              ...postgresKeys(encryption)
            })
          )
        })
      )
  }
}

/** Runs the work while no other process runs any over the same database, which waits meanwhile. */
export const exclusively = <A, E, R>(
  database: string,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | StoreUnavailable, R> => {
  switch (kindOf(database)) {
    case "memory":
      return work
    case "sqlite":
      return SqliteStore.exclusively(`${database}-demo`, work)
    case "postgres":
      return Effect.flatMap(postgres, (store) => store.exclusively(database, work))
  }
}

/** Reads the whole database and reports what is wrong with it. */
export const checkDatabase = (
  database: string,
  onProgress: (fraction: number, what: string) => void,
  encryption: Encryption | null
): Effect.Effect<SqliteStore.Checked, StoreUnavailable> =>
  kindOf(database) === "postgres"
    ? Effect.flatMap(postgres, (store) => store.check(database, onProgress, encryption?.key))
    : SqliteStore.check(database, onProgress, encryption ?? undefined)

/** Opens the database to be copied from. Nothing writes it until the scope ends. */
export const copySource = (
  database: string,
  encryption: Encryption | null
): Effect.Effect<CopySource, StoreUnavailable, Scope.Scope> =>
  kindOf(database) === "postgres"
    ? Effect.flatMap(postgres, (store) => store.copySource(database, encryption?.key))
    : SqliteStore.copySource(database, encryption ?? undefined)

/** Opens a database that is new, or holds an unfinished copy, to be filled. */
export const copyTarget = (
  database: string,
  encryption: Encryption | null
): Effect.Effect<CopyTarget, StoreUnavailable, Scope.Scope> =>
  kindOf(database) === "postgres"
    ? Effect.flatMap(postgres, (store) => store.copyTarget(database, encryption?.key))
    : SqliteStore.copyTarget(database, encryption ?? undefined)

/** Removes what an unfinished copy left in the database. */
export const removeUnfinishedCopy = (database: string): Effect.Effect<void, StoreUnavailable> =>
  kindOf(database) === "postgres"
    ? Effect.flatMap(postgres, (store) => store.removeUnfinishedCopy(database))
    : SqliteStore.removeUnfinishedCopy(database)

/** Replays, in a database on Postgres that its operator has restored, what the journals say was removed since. */
export const restorePostgres = (
  options: PostgresRestoreOptions
): Effect.Effect<PostgresRestored, RestoreRefused | StoreUnavailable> =>
  Effect.flatMap(postgres, (store) => store.restore(options))

/** Brings the database to another encryption; `current` is the key that is set, if any. */
export const rekeyDatabase = (
  database: string,
  current: EncryptionKey | undefined,
  target: Encryption | null,
  onProgress: (fraction: number, what: string) => void
): Effect.Effect<SqliteStore.Rekeyed, StoreUnavailable> =>
  kindOf(database) === "postgres"
    ? Effect.flatMap(postgres, (store) => store.rekey(database, { current, target: target?.key }, onProgress))
    : SqliteStore.rekey(database, { current, target: target ?? undefined }, onProgress)
