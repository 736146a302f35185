/** Migrates an older file before the store uses it: on this thread, or in a worker if it has many leads. [STORE-5] */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Effect, Schedule } from "effect"
import type { DriverConnection } from "../connection/DriverConnection.ts"
import { migrate, type Migrating, outstanding } from "../schema/Migrations.ts"
import { isBusy, retryWhileBusy, unavailable } from "../connection/BusyRetry.ts"
import type { StoreWorker } from "../worker/StoreWorker.ts"

/** How an older file is brought to the newest schema. */
export interface UpgradeOptions {
  /** Migrations that take longer than looking at so many leads run in a worker. */
  readonly maxEffort: number
  /** Called with the progress of the migrations of an older or a new file. */
  readonly onMigrating: (migrating: Migrating) => void
}

/** Migrating one lead takes about as long as looking at so many. */
const migrationWeight = 40

/** Another process that has the file locked is likely to migrate it, which takes minutes. */
const untilUnlocked = Schedule.spaced("250 millis").pipe(Schedule.upTo("1 hour"), Schedule.whileInput(isBusy))

/** An interruption rolls the migrations back, as soon as the running statement has ended. */
const migrateInWorker = (
  filename: string,
  worker: StoreWorker,
  onMigrating: UpgradeOptions["onMigrating"]
): Effect.Effect<void, StoreUnavailable> =>
  Effect.async<void, unknown>((resume) => {
    worker.run("migrate", { filename }, onMigrating).then(
      () => resume(Effect.void),
      (failure: unknown) => resume(Effect.fail(failure))
    )
    return Effect.promise(() => worker.abort())
  }).pipe(
    Effect.tapError((failure) =>
      Effect.sync(() => {
        if (isBusy(failure))
          onMigrating({ fraction: 0, doing: "waiting for the process that has the database locked" })
      })
    ),
    Effect.retry(untilUnlocked),
    Effect.mapError(unavailable)
  )

/**
 * Migrates an older file in one transaction. Fails with `StoreUnavailable` when a migration fails, or when another process keeps
 * the file locked: for 10 s where this thread migrates, for an hour where the worker does.
 */
export const upgrade = (
  filename: string,
  writer: DriverConnection,
  worker: StoreWorker,
  { maxEffort, onMigrating }: UpgradeOptions
): Effect.Effect<void, StoreUnavailable> =>
  Effect.flatMap(
    retryWhileBusy(() => outstanding(writer, filename)),
    (leads) => {
      if (leads === null) return Effect.void
      return leads * migrationWeight < maxEffort
        ? retryWhileBusy(() => writer.transaction(() => migrate(writer, filename, onMigrating)))
        : migrateInWorker(filename, worker, onMigrating)
    }
  )
