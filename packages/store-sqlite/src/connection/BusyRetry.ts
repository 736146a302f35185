/** Retries what meets another process's lock, and turns other failures of SQLite into a `StoreUnavailable` with a reason. */
import { StoreUnavailable } from "@lead-signals/domain"
import { Effect, Schedule } from "effect"
import { DatabaseProblem } from "./DatabaseProblem.ts"

/** SQLite's code of a failure, also of one that a worker reported; empty where the failure has none. */
export const codeOf = (failure: unknown): string => {
  const reported = failure instanceof StoreUnavailable ? failure.cause : failure
  const code = (reported as { code?: unknown } | null | undefined)?.code
  return typeof code === "string" ? code : ""
}

/** Whether another connection holds the lock that the statement needs. */
export const isBusy = (failure: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(failure))

/** The reason given while nothing more fits on the disk. */
export const diskIsFull = "the disk is full"

const reasons: ReadonlyArray<readonly [RegExp, string]> = [
  [/^SQLITE_(BUSY|LOCKED)/, "another process keeps the file locked"],
  [/^SQLITE_FULL/, diskIsFull],
  [/^SQLITE_(CORRUPT|NOTADB)/, "the file is damaged or is not a SQLite file"],
  [/^SQLITE_(READONLY|PERM|AUTH|CANTOPEN)/, "the file can't be opened for writing"],
  [/^SQLITE_IOERR/, "the disk can't be read or written"]
]

/** The failure of the port for what the driver has thrown. */
export const unavailable = (failure: unknown): StoreUnavailable => {
  if (failure instanceof DatabaseProblem) {
    return new StoreUnavailable({ reason: failure.message, cause: failure.cause ?? failure })
  }
  const code = codeOf(failure)
  if (failure instanceof StoreUnavailable && !code.startsWith("SQLITE_")) return failure
  const reason = reasons.find(([pattern]) => pattern.test(code))?.[1] ?? "the SQLite file could not be used"
  return new StoreUnavailable({
    reason: code === "" ? reason : `${reason} (${code})`,
    cause: failure,
    ...(reason === diskIsFull ? { publicReason: reason } : {})
  })
}

/** Whether the file or the disk prevents every write, rather than this one. */
export const preventsWriting = (failure: StoreUnavailable): boolean =>
  failure.publicReason !== undefined || reasons.some(([pattern]) => pattern.test(codeOf(failure)))

const busyRetryOf = (tries: number) =>
  Schedule.exponential("5 millis", 1.5).pipe(
    Schedule.jittered,
    Schedule.intersect(Schedule.recurs(tries)),
    Schedule.whileInput(isBusy)
  )

type BusyRetry = ReturnType<typeof busyRetryOf>

/** Waits up to about 10 s in all for another process to let go of the file. */
export const busyRetry = busyRetryOf(17)

/** Waits up to about 0.4 s in all, for work that can be left out. */
export const briefBusyRetry = busyRetryOf(9)

/** Retries while another process locks the file. Each attempt blocks this process for a few milliseconds at most. */
export const retryWhileBusy = <A>(
  attempt: () => A,
  during: BusyRetry = busyRetry
): Effect.Effect<A, StoreUnavailable> =>
  // The first attempt nearly always succeeds, so it runs without the retry's cost.
  Effect.suspend(() => {
    try {
      return Effect.succeed(attempt())
    } catch (failure) {
      if (!isBusy(failure)) return Effect.fail(unavailable(failure))
      const again = Effect.try({ try: attempt, catch: (failure) => failure })
      return Effect.mapError(Effect.retry(again, during), unavailable)
    }
  })
