/** An older file is brought to this version before it is used: at once, or in a worker if it has many leads. */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Effect, Schedule } from "effect"
import type { Connection } from "../connection/Connection.ts"
import { migrate, type Migrating, outstanding } from "../schema/Migrations.ts"
import { isBusy, retryWhileBusy, unavailable } from "../connection/BusyRetry.ts"
import type { StoreWorker } from "../worker/StoreWorker.ts"

export interface UpgradeOptions {
  /** What takes longer than to look at so many leads is done in a worker. */
  readonly maxEffort: number
  /** Told how far an older file, or a new one, is on its way to this version. */
  readonly onMigrating: (migrating: Migrating) => void
}

/** To bring a lead to this version takes about as long as to look at so many. */
const migrationWeight = 40

/** Another process that has the file locked is likely to be at the same: nobody gives up on it soon. */
const untilUnlocked = Schedule.spaced("250 millis").pipe(Schedule.upTo("1 hour"), Schedule.whileInput(isBusy))

/** Takes all back when it is interrupted: as soon as the statement that is under way has ended. */
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
          onMigrating({ fraction: 0, doing: "waiting for whoever has the database locked" })
      })
    ),
    Effect.retry(untilUnlocked),
    Effect.mapError(unavailable)
  )

/** Brings an older file to this version: nothing, or all of it. Of many leads this takes minutes, and a worker. */
export const upgrade = (
  filename: string,
  writer: Connection,
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
