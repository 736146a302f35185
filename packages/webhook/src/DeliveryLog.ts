/** The emitter's log lines. They name ids, statuses and kinds of errors, and hold no personal data. [PII-2] */
import type { Lease, AttemptTransitions, StoreUnavailable } from "@lead-signals/domain"
import { Cause, Effect, FiberRef, LogLevel } from "effect"

export const logStoreUnavailable = ({ reason }: StoreUnavailable): Effect.Effect<void> =>
  Effect.logWarning("store unavailable to the emitter").pipe(Effect.annotateLogs({ reason }))

/** Logs only the name of a defect: its message may quote the payload. [PII-2] */
export const logDefect = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.logError("internal error of the emitter").pipe(
    Effect.annotateLogs({ defect: (Cause.squash(cause) as { name?: string } | null)?.name ?? "unknown" })
  )

export const logBodyMissing = ({ deliveryId, webhook }: Lease): Effect.Effect<void> =>
  Effect.logError("the body of a delivery could not be created").pipe(
    Effect.annotateLogs({ deliveryId, webhookId: webhook.id })
  )

const levels: { readonly [O in AttemptTransitions.Recorded["outcome"]]: LogLevel.LogLevel } = {
  delivered: LogLevel.Debug,
  ignored: LogLevel.Debug,
  retried: LogLevel.Info,
  dead: LogLevel.Warning
}

/** Skips building a line below the host's minimum level: most attempts log at debug level. */
const ifLogged = (level: LogLevel.LogLevel, line: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(FiberRef.get(FiberRef.currentMinimumLogLevel), (minimum) =>
    LogLevel.lessThanEqual(minimum, level) ? line : Effect.void
  )

/** Logs what the store recorded of an attempt, and the webhook that the attempt disabled, if any. */
export const logRecorded = (
  lease: Lease,
  attempt: AttemptTransitions.FinishedAttempt,
  { disabled, outcome }: AttemptTransitions.Recorded
): Effect.Effect<void> => {
  const level = levels[outcome]
  const attempted = ifLogged(
    level,
    Effect.suspend(() =>
      Effect.annotateLogs(Effect.logWithLevel(level, "delivery attempted"), {
        deliveryId: lease.deliveryId,
        webhookId: lease.webhook.id,
        result: attempt.result.status ?? attempt.result.error ?? "none",
        durationMillis: attempt.durationMillis,
        outcome
      })
    )
  )
  return disabled === null
    ? attempted
    : Effect.zipRight(
        attempted,
        Effect.logWarning("webhook disabled").pipe(Effect.annotateLogs({ webhookId: disabled }))
      )
}
