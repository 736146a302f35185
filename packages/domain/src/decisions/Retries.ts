/**
 * The transition of a delivery and its webhook after an attempt: delivered, due again, or dead; and whether the webhook is
 * disabled. A plain function of the state before, the result of the attempt, the time, and a draw. [DELIV-3, DELIV-4]
 */
import type { AttemptResult } from "../model/Delivery.ts"
import { millisPerHour as hour, millisPerMinute as minute, millisPerSecond as second } from "../model/Duration.ts"
import { formatInstant, type Instant } from "../model/Instant.ts"

/** Milliseconds from each failed attempt to the next; after one more failure the delivery is dead. [DELIV-3] */
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

/** Milliseconds that an attempt may take, its answer's body included. [DELIV-3] */
export const attemptTimeoutMillis = 15 * second

/** A delay is drawn evenly from this much below to this much above. */
const jitterFraction = 0.2

/** The longest wait that a Retry-After can request. */
const maxRetryAfterMillis = 24 * hour

/** A webhook whose every attempt failed for so long is disabled. */
const patienceMillis = 5 * 24 * hour

/** The state of delivery and webhook when the attempt is recorded. */
export interface AttemptedDelivery {
  /** Failed attempts before this one, since the delivery was queued or its webhook was last enabled. */
  readonly failures: number
  /** Until when it may be attempted at most, as `LeadOrder.deadlineOf` says; null or absent: as long as its retries last. [ORD-4] */
  readonly deadline?: Instant | null
  /** Its state in the transaction that records the attempt. */
  readonly webhook: { readonly enabled: boolean; readonly failingSince: Instant | null }
}

/** The change that an attempt makes to its delivery and its webhook. */
export interface AttemptTransition {
  /** `pending` goes to the next attempt at `dueAt`, after so many failures; `dead` goes to the dead letters. */
  readonly delivery:
    | { readonly state: "delivered" }
    | { readonly state: "pending"; readonly failures: number; readonly dueAt: Instant }
    | { readonly state: "dead" }
  /** The webhook's new `failingSince`; null after a success. [DELIV-4] */
  readonly failingSince: Instant | null
  /**
   * Why the webhook is to be disabled, as a sentence for its owner; null: it stays enabled or disabled as it is.
   * [DELIV-4]
   */
  readonly disabledReason: string | null
}

/** Whether the receiver took the event: the status is 200 to 299. [DELIV-3] */
export const isSuccess = ({ status }: Pick<AttemptResult, "status">): boolean =>
  status !== null && status >= 200 && status <= 299

/**
 * Milliseconds until the next attempt: the scheduled ones with jitter of up to ±20 %, or what Retry-After requested
 * if that is more, which counts up to 24 hours. `draw` is a random number from 0 to 1, without 1. [DELIV-3]
 */
export const delayMillis = (
  scheduledMillis: number,
  retryAfterSeconds: number | null,
  draw: number
): number => {
  const jittered = Math.round(scheduledMillis * (1 - jitterFraction + 2 * jitterFraction * draw))
  return Math.max(jittered, Math.min((retryAfterSeconds ?? 0) * second, maxRetryAfterMillis))
}

const gone = 410

/** When the next attempt is due; null when none follows. What would come after the deadline is due at it, unless Retry-After asks for later. */
const nextDueAt = (
  now: Instant,
  delay: number,
  retryAfterSeconds: number | null,
  deadline: Instant | null
): Instant | null => {
  if (deadline === null || now + delay <= deadline) return now + delay
  return now >= deadline || now + (retryAfterSeconds ?? 0) * second > deadline ? null : deadline
}

const renderedResult = ({ error, status }: AttemptResult): string =>
  status === null ? (error ?? "internal") : `status ${status}`

/**
 * The transition that follows an attempt. 2xx delivers, and clears `failingSince`; a webhook that was disabled
 * meanwhile stays so. 410 disables the webhook and keeps the delivery pending. Any other end plans the next attempt,
 * or makes the delivery dead after the last of `scheduleMillis` or at its deadline; it disables a webhook that has failed everything for
 * 5 days. `draw` is as in `delayMillis`. [DELIV-3, DELIV-4, ORD-4]
 */
export const settle = (
  { deadline = null, failures, webhook }: AttemptedDelivery,
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
  const { retryAfterSeconds } = result
  const scheduled = scheduleMillis[failures]
  const dueAt =
    scheduled === undefined
      ? null
      : nextDueAt(now, delayMillis(scheduled, retryAfterSeconds, draw), retryAfterSeconds, deadline)
  return {
    delivery: dueAt === null ? { state: "dead" } : { state: "pending", failures: failures + 1, dueAt },
    failingSince,
    disabledReason: isGivenUp
      ? `Every attempt since ${formatInstant(failingSince)} failed; the last one gave ${renderedResult(result)}.`
      : null
  }
}
