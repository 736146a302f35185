/** A lock between processes, for work that lasts longer than a transaction may. */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Effect, Schedule } from "effect"
import { rmSync } from "node:fs"
import { DriverConnection } from "../connection/DriverConnection.ts"
import { createPrivately } from "../connection/PrivateFile.ts"
import { codeOf, isBusy, unavailable } from "../connection/BusyRetry.ts"

const lockWaitMillis = 3

/** SQLite finds no file at the path: the process that held the lock has removed it in this moment. */
export const isRemoved = (failure: unknown): boolean => codeOf(failure) === "SQLITE_IOERR_FSTAT"

/** A process that is killed loses the lock at once: one that holds it still works. */
const untilUnlocked = Schedule.spaced("100 millis").pipe(
  Schedule.upTo("1 hour"),
  Schedule.whileInput((failure: unknown) => isBusy(failure) || isRemoved(failure))
)

/**
 * Locks the file, which is made where there is none. A process loses the lock when it ends, and processes of other containers on the volume
 * are kept out, too. Throws where another process holds it.
 */
export const lockFile = (file: string): DriverConnection => {
  const connection = new DriverConnection(file, { readonly: false, busyMillis: lockWaitMillis })
  try {
    connection.run("BEGIN EXCLUSIVE")
    return connection
  } catch (failure) {
    connection.close()
    throw failure
  }
}

const lock = (file: string): Effect.Effect<DriverConnection, unknown> =>
  Effect.try({ try: () => lockFile(file), catch: (failure) => failure })

const acquire = (file: string): Effect.Effect<DriverConnection, StoreUnavailable> =>
  Effect.flatMap(createPrivately(file), lock).pipe(Effect.retry(untilUnlocked), Effect.mapError(unavailable))

/**
 * Runs the work while no other process runs any under the same lock file; waits up to an hour for one that does. A success removes
 * the lock file, and a process that waited then holds the lock of a file that is gone: the work must look first whether another
 * process has done it.
 */
export const exclusively = <A, E, R>(
  file: string,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | StoreUnavailable, R> =>
  // Waiting can be interrupted; closing the connection can't.
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(acquire(file)), (connection) =>
      Effect.ensuring(
        Effect.tap(restore(work), () => Effect.sync(() => rmSync(file, { force: true }))),
        Effect.sync(() => connection.close())
      )
    )
  )
