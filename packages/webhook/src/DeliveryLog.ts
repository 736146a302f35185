/** The emitter's log lines. They name ids, statuses and kinds of errors, and hold no personal data. [PII-2] */
import type { Lease, AttemptTransitions, StoreUnavailable } from "@lead-signals/domain"
import { Cause, Effect, FiberRef, LogLevel } from "effect"

/** Logs that the store could not lease deliveries or record attempts. */
export const logStoreUnavailable = ({ reason }: StoreUnavailable): Effect.Effect<void> =>
  Effect.logWarning("store unavailable to the emitter").pipe(Effect.annotateLogs({ reason }))

/** Logs only the name of a defect: its message may quote the payload. [PII-2] */
export const logDefect = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.logError("internal error of the emitter").pipe(
    Effect.annotateLogs({ defect: (Cause.squash(cause) as { name?: string } | null)?.name ?? "unknown" })
  )

/** Logs that a leased delivery has no body. */
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

interface RecordedAttempt {
  readonly lease: Lease
  readonly attempt: AttemptTransitions.FinishedAttempt
}

const logAttempted = (
  { attempt, lease }: RecordedAttempt,
  { outcome }: AttemptTransitions.Recorded
): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWithLevel(levels[outcome], "delivery attempted"), {
    deliveryId: lease.deliveryId,
    webhookId: lease.webhook.id,
    result: attempt.result.status ?? attempt.result.error ?? "none",
    durationMillis: attempt.durationMillis,
    outcome
  })

/**
 * Logs the outcome of each attempt, in order, and the webhooks that were disabled. It makes no lines below the host's minimum level, because most
 * attempts log at debug level.
 */
export const logRecorded = (
  attempts: ReadonlyArray<RecordedAttempt>,
  recorded: ReadonlyArray<AttemptTransitions.Recorded>
): Effect.Effect<void> =>
  Effect.flatMap(FiberRef.get(FiberRef.currentMinimumLogLevel), (minimum) =>
    Effect.forEach(
      recorded.flatMap((each, i) => [
        ...(LogLevel.lessThanEqual(minimum, levels[each.outcome]) ? [logAttempted(attempts[i]!, each)] : []),
        ...(each.disabled === null
          ? []
          : [Effect.logWarning("webhook disabled").pipe(Effect.annotateLogs({ webhookId: each.disabled }))])
      ]),
      (line) => line,
      { discard: true }
    )
  )
