/**
 * Group commit: writes that wait at the same time share one transaction, and with it the wait for the disk, during which this
 * thread serves others. [STORE-1, STORE-2]
 */
import { StoreUnavailable } from "@lead-signals/domain"
import { Cause, type Clock, Deferred, Effect, FiberId } from "effect"
import { isBusy, retryWhileBusy, unavailable } from "../connection/BusyRetry.ts"
import type { Connection } from "../connection/Connection.ts"
import type { DriverConnection } from "../connection/DriverConnection.ts"
import type { OpenedFile } from "../connection/OpenedFile.ts"
import type { SharedSnapshot } from "../connection/SharedSnapshot.ts"
import type { TickScheduler } from "../connection/TickScheduler.ts"
import type { Writability } from "../connection/Writability.ts"
import type { Write } from "./Database.ts"
import type { WriteAheadLog } from "./WriteAheadLog.ts"

/** What commits, and how much of it together. */
export interface GroupCommitOptions {
  readonly ticks: TickScheduler
  /** A group that one more write like those before would keep longer takes no more in: other work has to run, too. */
  readonly groupMillis: number
  /** Runs within each transaction that writes, when all of it is written and nothing is committed. */
  readonly beforeCommit: (synchronous: () => number) => void
}

type CommitOptions = Omit<GroupCommitOptions, "ticks"> & Pick<CommitResources, "checkVersion">

/** A write that waits for its commit. */
interface PendingWrite {
  readonly work: (sql: Connection, now: number) => unknown
  readonly clock: Clock.Clock
  readonly answer: Deferred.Deferred<unknown, StoreUnavailable>
}

type Outcome = { readonly failure: unknown } | { readonly result: unknown }

/** Runs writes in one transaction until `groupMillis` would be over; one at least. Returns the outcomes of those that ran. */
const commitTogether = (
  writer: DriverConnection,
  waiting: ReadonlyArray<PendingWrite>,
  options: CommitOptions
): ReadonlyArray<Outcome> =>
  writer.transaction(() => {
    options.checkVersion(writer)
    const startedAt = performance.now()
    const done: Array<Outcome> = []
    for (const { clock, work } of waiting) {
      done.push({ result: work(writer, clock.unsafeCurrentTimeMillis()) })
      const millis = performance.now() - startedAt
      if (millis + millis / done.length > options.groupMillis) break
    }
    writer.beforeCommit(() => options.beforeCommit(() => writer.synchronous))
    return done
  })

/** Runs each write in a transaction of its own. */
const commitApart = (
  writer: DriverConnection,
  waiting: ReadonlyArray<PendingWrite>,
  options: CommitOptions
): ReadonlyArray<Outcome> =>
  waiting.map((each): Outcome => {
    try {
      return commitTogether(writer, [each], options)[0]!
    } catch (failure) {
      return { failure }
    }
  })

/** When one write of a group fails, each of the group runs again by itself: only the failing one is rolled back. */
const commitGroup = (
  writer: DriverConnection,
  waiting: ReadonlyArray<PendingWrite>,
  options: CommitOptions
): ReadonlyArray<Outcome> => {
  try {
    return commitTogether(writer, waiting, options)
  } catch (failure) {
    if (waiting.length === 1 || isBusy(failure)) throw failure
    return commitApart(writer, waiting, options)
  }
}

/** Writes that share a commit at most: none waits for more than that many others. */
const maxGroup = 256

/** Ticks that a group gathers further writes for at most. */
const maxTicks = 8

/** Holds writes of this thread back while the worker writes, or waits to. */
export interface WriteBarrier {
  /** Settles when the worker's last job has ended; null when it writes nothing. */
  raised: Promise<unknown> | null
}

/** What one file's commits use: the connection that writes, the log, the readers' snapshot, and the file's state. */
interface CommitResources {
  readonly writer: DriverConnection
  readonly log: WriteAheadLog
  readonly snapshot: SharedSnapshot
  readonly barrier: WriteBarrier
  readonly opened: OpenedFile
  readonly writability: Writability
  /** Throws in a transaction on a file that a newer program has migrated. */
  readonly checkVersion: (sql: Connection) => void
}

/**
 * Commits writes of this thread in groups. `write` succeeds when its commit is on the disk, and fails with `StoreUnavailable`
 * when its transaction or the sync fails, or the store is closed. `close` refuses further writes and ends when those before
 * have their outcome.
 */
export const groupCommit = (
  { barrier, checkVersion, log, opened, snapshot, writability, writer }: CommitResources,
  { ticks, ...given }: GroupCommitOptions
): { readonly write: Write; readonly close: Effect.Effect<void> } => {
  const options = { ...given, checkVersion }
  let waiting: Array<PendingWrite> = []
  let isCommitting = false
  let isClosed = false
  /** Whether the last write that found no commit under way got company, before its commit or during it. */
  let isCrowded = false
  let onIdle = (): void => {}
  const answerAll = (group: ReadonlyArray<PendingWrite>, done: ReadonlyArray<Outcome>) =>
    Effect.forEach(
      done,
      (each, i) =>
        "failure" in each
          ? Deferred.fail(group[i]!.answer, unavailable(each.failure))
          : Deferred.succeed(group[i]!.answer, each.result),
      { discard: true }
    )
  const failAll = (group: ReadonlyArray<PendingWrite>, cause: Cause.Cause<StoreUnavailable>) =>
    Effect.forEach(group, ({ answer }) => Deferred.failCause(answer, cause), { discard: true })
  const commit = Effect.suspend(() => {
    const group = waiting.slice(0, maxGroup)
    return Effect.matchCauseEffect(
      retryWhileBusy(() => {
        opened.check()
        const before = writer.changes
        snapshot.end()
        const done = commitGroup(writer, group, options)
        return { done, hasWritten: writer.changes !== before }
      }),
      {
        onFailure: (cause) => {
          waiting = waiting.slice(group.length)
          writability.failed(cause)
          return failAll(group, cause)
        },
        onSuccess: ({ done, hasWritten }) => {
          waiting = waiting.slice(done.length)
          const sync = hasWritten || log.isSuspect() ? log.sync : Effect.void
          return Effect.matchCauseEffect(sync, {
            onFailure: (cause) => {
              writability.failed(cause)
              return failAll(group.slice(0, done.length), cause)
            },
            onSuccess: () => {
              if (hasWritten) writability.succeeded()
              for (const each of done) {
                if ("failure" in each) writability.failed(Cause.fail(unavailable(each.failure)))
              }
              return answerAll(group, done)
            }
          })
        }
      }
    )
  })
  /** Waits for the worker's job before the retries of a busy file begin: they would run out while a long job writes. */
  const commitNext = Effect.suspend(() => {
    const { raised } = barrier
    return raised === null
      ? commit
      : Effect.zipRight(
          Effect.promise(() => raised),
          commit
        )
  })
  /** Ends after a tick that brought no further write. Who was alone before waits for nobody: a tick takes some 15 µs. */
  const gatherAll = Effect.gen(function* () {
    if (!isCrowded) return
    for (let passed = 0, known = 0; passed < maxTicks && waiting.length > known; passed++) {
      known = waiting.length
      yield* ticks.next
    }
    isCrowded = waiting.length > 1
  })
  const end = Effect.sync(() => {
    isCommitting = false
    onIdle()
  })
  const commitRest = Effect.ensuring(
    Effect.whileLoop({ while: () => waiting.length > 0, body: () => commitNext, step: () => {} }),
    end
  )
  /**
   * The first caller commits for all that come before the commit, even when it is interrupted. A daemon commits for those that
   * come during the commit: the first caller must not serve them for ever.
   */
  const commitFirst = Effect.ensuring(
    Effect.zipRight(gatherAll, commitNext),
    Effect.suspend(() => {
      if (waiting.length === 0) return end
      isCrowded = true
      return Effect.asVoid(Effect.forkDaemon(commitRest))
    })
  )
  const write: Write = <A>(work: (sql: Connection, now: number) => A) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.clockWith((clock): Effect.Effect<A, StoreUnavailable> => {
        if (isClosed) return Effect.fail(new StoreUnavailable({ reason: "the store is closed" }))
        const answer = Deferred.unsafeMake<unknown, StoreUnavailable>(FiberId.none)
        waiting.push({ work, clock, answer })
        const awaited = restore(Deferred.await(answer)) as Effect.Effect<A, StoreUnavailable>
        if (isCommitting) return awaited
        isCommitting = true
        return Effect.zipRight(commitFirst, awaited)
      })
    )
  const close = Effect.async<void>((resume) => {
    isClosed = true
    if (!isCommitting) resume(Effect.void)
    else onIdle = () => resume(Effect.void)
  })
  return { write, close }
}
