/** What becomes of a failure of SQLite's: another process's lock is waited for, all else is told in words. */
import { StoreUnavailable } from "@lead-signals/domain"
import { Effect, Schedule } from "effect"
import { DatabaseProblem } from "./DatabaseProblem.ts"

/** SQLite's own, also where a thread tells of it; empty of what is no failure of SQLite's. */
export const codeOf = (failure: unknown): string => {
  const told = failure instanceof StoreUnavailable ? failure.cause : failure
  const code = (told as { code?: unknown } | null | undefined)?.code
  return typeof code === "string" ? code : ""
}

export const isBusy = (failure: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(failure))

export const diskIsFull = "the disk is full"

const reasons: ReadonlyArray<readonly [RegExp, string]> = [
  [/^SQLITE_(BUSY|LOCKED)/, "another process keeps the file locked"],
  [/^SQLITE_FULL/, diskIsFull],
  [/^SQLITE_(CORRUPT|NOTADB)/, "the file is damaged or is no SQLite file"],
  [/^SQLITE_(READONLY|PERM|AUTH|CANTOPEN)/, "the file can't be opened for writing"],
  [/^SQLITE_IOERR/, "the disk can't be read or written"]
]

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

/** Whether it is the file or the disk that keeps anything from being written, and not what was to be written. */
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

/** Waits up to about 0.4 s in all, for what can be done without. */
export const briefBusyRetry = busyRetryOf(9)

/** Tries again while the file is another's; a try itself blocks this process for at most `lockWaitMillis`. */
export const retryWhileBusy = <A>(
  attempt: () => A,
  during: BusyRetry = busyRetry
): Effect.Effect<A, StoreUnavailable> =>
  // Nearly always it works at once, without any bracket around it.
  Effect.suspend(() => {
    try {
      return Effect.succeed(attempt())
    } catch (failure) {
      if (!isBusy(failure)) return Effect.fail(unavailable(failure))
      const again = Effect.try({ try: attempt, catch: (failure) => failure })
      return Effect.mapError(Effect.retry(again, during), unavailable)
    }
  })
