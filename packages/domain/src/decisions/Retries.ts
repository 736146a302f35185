/**
 * What becomes of a delivery and of its webhook after an attempt: done, again later, or dead; and whether the webhook is
 * disabled. A plain function of what is known, how the attempt ended, the time, and a draw. [DELIV-3, DELIV-4]
 */
import type { AttemptResult } from "../model/Delivery.ts"
import { formatInstant, type Instant } from "../model/Instant.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** How long after each failed attempt the next one is made; after one more failure the delivery is dead. */
export const defaultScheduleMillis: ReadonlyArray<number> = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour
]

/** An attempt, its answer's body included, takes no longer than this. */
export const attemptTimeoutMillis = 15 * second

/** A delay is drawn evenly from this much below to this much above. */
const jitterFraction = 0.2

/** What a Retry-After can ask for at most. */
const maxRetryAfterMillis = 24 * hour

/** A webhook whose every attempt failed for so long is disabled. */
const patienceMillis = 5 * 24 * hour

/** What is known when the attempt is recorded. */
export interface AttemptedDelivery {
  /** Failed attempts before this one, since the delivery was queued or its webhook was last enabled. */
  readonly failures: number
  readonly webhook: { readonly enabled: boolean; readonly failingSince: Instant | null }
}

export interface AttemptTransition {
  readonly delivery:
    | { readonly state: "delivered" }
    | { readonly state: "pending"; readonly failures: number; readonly dueAt: Instant }
    | { readonly state: "dead" }
  readonly failingSince: Instant | null
  /** Null: whether it is enabled stays as it is. */
  readonly disabledReason: string | null
}

/** Whether the receiver took it. */
export const isSuccess = ({ status }: Pick<AttemptResult, "status">): boolean =>
  status !== null && status >= 200 && status <= 299

/** `draw` is from 0 to 1, 1 excluded. */
export const delayMillis = (
  scheduledMillis: number,
  retryAfterSeconds: number | null,
  draw: number
): number => {
  const jittered = Math.round(scheduledMillis * (1 - jitterFraction + 2 * jitterFraction * draw))
  return Math.max(jittered, Math.min((retryAfterSeconds ?? 0) * second, maxRetryAfterMillis))
}

const gone = 410

const renderedResult = ({ error, status }: AttemptResult): string =>
  status === null ? (error ?? "internal") : `status ${status}`

/**
 * A delivery that met a 410 is held with the others of its webhook: it was not refused for its own sake. A success clears
 * failingSince; a webhook that was disabled meanwhile stays so.
 */
export const settle = (
  { failures, webhook }: AttemptedDelivery,
  result: AttemptResult,
  now: Instant,
  draw: number,
  scheduleMillis: ReadonlyArray<number> = defaultScheduleMillis
): AttemptTransition => {
  if (isSuccess(result)) {
    return { delivery: { state: "delivered" }, failingSince: null, disabledReason: null }
  }
  const failingSince = webhook.failingSince ?? now
  if (result.status === gone) {
    return {
      delivery: { state: "pending", failures, dueAt: now },
      failingSince,
      disabledReason: webhook.enabled ? "The receiver answered 410 Gone." : null
    }
  }
  const isGivenUp = webhook.enabled && now - failingSince >= patienceMillis
  const scheduled = scheduleMillis[failures]
  return {
    delivery:
      scheduled === undefined
        ? { state: "dead" }
        : {
            state: "pending",
            failures: failures + 1,
            dueAt: now + delayMillis(scheduled, result.retryAfterSeconds, draw)
          },
    failingSince,
    disabledReason: isGivenUp
      ? `Every attempt since ${formatInstant(failingSince)} failed; the last one with ${renderedResult(result)}.`
      : null
  }
}
