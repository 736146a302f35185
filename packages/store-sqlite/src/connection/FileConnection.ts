/** Opens connections to a file: one that writes in WAL mode, or one that reads. */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Effect, type Scope } from "effect"
import { retryWhileBusy } from "./BusyRetry.ts"
import { DriverConnection } from "./DriverConnection.ts"
import type { FileKey } from "./FileKey.ts"
import { tighten } from "./FilePermissions.ts"
import { createPrivately } from "./PrivateFile.ts"

/** A connection's page cache, which holds the inner pages of a million leads' indexes. */
const cacheKibibytes = 65_536

/** A statement blocks this process for a lock for so long; after that it is retried, and other work runs in between. */
const lockWaitMillis = 3

/** The settings of each connection to the file; `synchronous` is SQLite's of that name. */
export const pragmasOf = (synchronous: string): ReadonlyArray<string> => [
  `synchronous = ${synchronous}`,
  "foreign_keys = ON",
  "secure_delete = ON",
  `cache_size = -${cacheKibibytes}`
]

/** Opens a connection that closes with its scope. Waits while another process keeps the file locked. */
export const connect = (
  filename: string,
  options: {
    readonly readonly: boolean
    readonly synchronous: string
    /** Encrypts the file; undefined where it is plain. */
    readonly key: FileKey | undefined
    /** Refuses a file before anything of it is changed. */
    readonly inspect?: (connection: DriverConnection) => void
    /** Makes what must be there before the connection is used. */
    readonly prepare?: (connection: DriverConnection) => void
  }
): Effect.Effect<DriverConnection, StoreUnavailable, Scope.Scope> =>
  Effect.acquireRelease(
    retryWhileBusy(() => {
      const connection = new DriverConnection(filename, { ...options, busyMillis: lockWaitMillis })
      try {
        options.inspect?.(connection)
        if (!options.readonly) connection.pragma("journal_mode = WAL")
        for (const pragma of pragmasOf(options.synchronous)) connection.pragma(pragma)
        options.prepare?.(connection)
        return connection
      } catch (failure) {
        connection.close()
        throw failure
      }
    }),
    (connection) => Effect.sync(() => connection.close())
  )

/** Opens a connection to a file that need not survive a loss of power, and makes the file if it is missing. */
export const connectVolatile = (
  filename: string,
  key: FileKey | undefined,
  prepare: (connection: DriverConnection) => void
): Effect.Effect<DriverConnection, StoreUnavailable, Scope.Scope> =>
  Effect.flatMap(createPrivately(filename), (made) =>
    Effect.tap(connect(made, { readonly: false, synchronous: "OFF", key, prepare }), () => tighten(made))
  )
