/** Keeps the journal of removals up to the database: before each removal is answered, and each second for the removals of other nodes. */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Clock, Effect, type Scope } from "effect"
import { effectOf, forkBeside, type JournalSync } from "../connection/Database.ts"
import type { Transactor } from "../connection/Transactions.ts"
import { RemovalJournal } from "./RemovalJournal.ts"
import { hasOld, numberRemovals, stateOf } from "./RemovalRows.ts"

/** A store without a journal drops what is old as it opens; where that fails, the next one does. */
const dropOld = (transactor: Transactor): Effect.Effect<JournalSync> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const state = yield* effectOf(() => transactor.read(stateOf))
    if (hasOld(state, now)) yield* effectOf(() => transactor.write((sql) => numberRemovals(sql, now, null)))
  }).pipe(Effect.ignore, Effect.as({ journalRemovals: Effect.void, journalProblem: () => undefined }))

/**
 * Opens the journal in the folder. Fails with `StoreUnavailable` when the database lacks removals that it has. A journal that can't be
 * written does not keep the store from opening; it is tried again, as one that fails later. [REST-1, REST-2]
 */
const keepJournal = (
  folder: string,
  transactor: Transactor
): Effect.Effect<JournalSync, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const journal = new RemovalJournal(folder, transactor)
    const oneAtATime = yield* Effect.makeSemaphore(1)
    let problem: StoreUnavailable | null = null
    const bringUp = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      yield* effectOf(() => journal.bringUp(now))
      problem = null
    }).pipe(oneAtATime.withPermits(1))
    const failed = (failure: StoreUnavailable): Effect.Effect<void> => {
      problem = failure
      return Effect.logWarning("the journal of removals can't be written", { reason: failure.reason })
    }
    // What keeps the database from being reached is told where it is used; the journal may lack nothing.
    const failedLater = (failure: StoreUnavailable): Effect.Effect<void> =>
      problem !== null || failure.publicReason === undefined ? Effect.void : failed(failure)
    yield* effectOf(() => journal.checkAge())
    yield* Effect.catchAll(bringUp, failed)
    yield* Effect.catchAll(bringUp, failedLater).pipe(Effect.delay("1 second"), Effect.forever, forkBeside)
    return {
      journalRemovals: Effect.tapError(bringUp, failed),
      journalProblem: () => (problem === null ? null : (problem.publicReason ?? problem.reason))
    }
  })

/** Keeps a journal in the folder; none where it is undefined. */
export const openJournal =
  (folder: string | undefined) =>
  (transactor: Transactor): Effect.Effect<JournalSync, StoreUnavailable, Scope.Scope> =>
    folder === undefined ? dropOld(transactor) : keepJournal(folder, transactor)
