/** Keeps the journal of removals up to the database: before each removal is answered, and again and again after a failure. */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Clock, Effect, Schedule, type Scope } from "effect"
import { retryWhileBusy, unavailable } from "../connection/BusyRetry.ts"
import type { DriverConnection } from "../connection/DriverConnection.ts"
import type { OpenedFile } from "../connection/OpenedFile.ts"
import type { RemovalJournal } from "../journal/RemovalJournal.ts"
import { newestPosition } from "../journal/RemovalRows.ts"
import type { WriteBarrier } from "./GroupCommit.ts"
import type { WriteAheadLog } from "./WriteAheadLog.ts"

const everySecond = Schedule.spaced("1 second")

interface JournalResources {
  readonly journal: RemovalJournal
  readonly writer: DriverConnection
  readonly log: WriteAheadLog
  readonly barrier: WriteBarrier
  readonly opened: OpenedFile
}

interface JournalSync {
  readonly journalRemovals: Effect.Effect<void, StoreUnavailable>
  /** Why the journal lacks what the database has removed; null while it does not. */
  readonly journalProblem: () => string | null
}

/**
 * Opens the journal. Fails with `StoreUnavailable` when the database is older than it. A journal that can't be written does not keep
 * the store from opening; it is tried again, as one that fails later. [REST-1, REST-2]
 */
export const openJournal = ({
  barrier,
  journal,
  log,
  opened,
  writer
}: JournalResources): Effect.Effect<JournalSync, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    let problem: StoreUnavailable | null = null
    let isRetrying = false
    const inTransaction = (work: () => void): Effect.Effect<void, StoreUnavailable> =>
      Effect.gen(function* () {
        const { raised } = barrier
        if (raised !== null) yield* Effect.promise(() => raised)
        yield* opened.checked
        // Not in a group of writes: the journal must not have what is not committed.
        yield* retryWhileBusy(() => writer.transaction(work))
      })
    const copyOut = Effect.gen(function* () {
      const newest = yield* retryWhileBusy(() => newestPosition(writer))
      const now = yield* Clock.currentTimeMillis
      const isCurrent = yield* Effect.try({
        try: () => journal.isCurrent(writer, now, newest),
        catch: unavailable
      })
      if (!isCurrent) {
        // A loss of power must not take away what the journal has.
        yield* log.sync
        yield* inTransaction(() => journal.copyOut(writer, now, newest))
      }
      problem = null
    }).pipe(Effect.tapError((failure) => Effect.sync(() => (problem = failure))))
    const retryLater = Effect.suspend(() => {
      if (isRetrying) return Effect.void
      isRetrying = true
      return Effect.retry(copyOut, everySecond).pipe(
        Effect.delay("1 second"),
        // Begun by a removal that can't be interrupted: the store would never close.
        Effect.interruptible,
        Effect.ensuring(Effect.sync(() => (isRetrying = false))),
        Effect.ignore,
        Effect.forkIn(scope),
        Effect.asVoid
      )
    })
    const failed = ({ reason }: StoreUnavailable) =>
      Effect.zipRight(Effect.logWarning("the journal of removals can't be written", { reason }), retryLater)
    yield* retryWhileBusy(() => journal.checkAge(writer))
    yield* Effect.catchAll(copyOut, failed)
    return {
      journalRemovals: Effect.tapError(copyOut, failed),
      journalProblem: () => (problem === null ? null : (problem.publicReason ?? problem.reason))
    }
  })
