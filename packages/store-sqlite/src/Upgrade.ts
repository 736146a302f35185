/** An older file is brought to this version before it is used: at once, or in a thread if it has many leads. */
import { StoreUnavailable } from "@lead-signals/domain"
import { Effect, Schedule } from "effect"
import { answer, type Asking } from "./Asking.ts"
import type { Connection } from "./Connection.ts"
import type { FileThread } from "./FileThread.ts"
import { migrate, type Migrating, outstanding } from "./Migrations.ts"
import { isBusy, patiently, unavailable } from "./Patience.ts"

export interface UpgradeOptions {
  /** What takes longer than to look at so many leads is done in a thread. */
  readonly greatestEffort: number
  /** Told how far an older file, or a new one, is on its way to this version. */
  readonly onMigrating: (migrating: Migrating) => void
}

/** To bring a lead to this version takes about as long as to look at so many. */
const migrationWeight = 40

/** Another process that has the file locked is likely to be at the same: nobody gives up on it soon. */
const untilUnlocked = Schedule.spaced("250 millis").pipe(Schedule.upTo("1 hour"), Schedule.whileInput(isBusy))

/** Takes all back when it is interrupted: as soon as the statement that is under way has ended. */
const migrateAside = (
  filename: string,
  thread: FileThread,
  onMigrating: UpgradeOptions["onMigrating"]
): Effect.Effect<void, StoreUnavailable> =>
  Effect.async<void, unknown>((resume) => {
    let isWanted = true
    const whileWanted = function* (): Asking<void> {
      const asking = migrate(filename, onMigrating)
      let next = asking.next()
      while (next.done !== true) {
        if (!isWanted) throw new StoreUnavailable({ reason: "its migration was given up" })
        next = asking.next(yield next.value)
      }
    }
    thread.transaction("BEGIN IMMEDIATE", whileWanted).then(
      () => resume(Effect.void),
      (failure: unknown) => resume(Effect.fail(failure))
    )
    return Effect.sync(() => {
      isWanted = false
    })
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

/** Brings an older file to this version: nothing, or all of it. Of many leads this takes minutes, and a thread. */
export const upgrade = (
  filename: string,
  writer: Connection,
  thread: FileThread,
  { greatestEffort, onMigrating }: UpgradeOptions
): Effect.Effect<void, StoreUnavailable> =>
  Effect.flatMap(
    patiently(() => answer(writer, outstanding(filename))),
    (leads) => {
      if (leads === null) return Effect.void
      return leads * migrationWeight < greatestEffort
        ? patiently(() => writer.transaction(() => answer(writer, migrate(filename, onMigrating))))
        : migrateAside(filename, thread, onMigrating)
    }
  )
