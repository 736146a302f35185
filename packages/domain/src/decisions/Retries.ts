/**
 * Retries: what an attempt leads to. Its delivery is delivered, due again or dead, and its webhook may be disabled. It is a
 * plain function of the state before, the result of the attempt, the time, and a random number. [DELIV-3, DELIV-4]
 */
import type { AttemptResult } from "../model/Delivery.ts"
import {
  millisPerHour as hour,
  millisPerMinute as minute,
  millisPerSecond as second
} from "../model/Duration.ts"
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

/** Milliseconds that an attempt may take, from its beginning to the end of the answer's body. [DELIV-3] */
export const attemptTimeoutMillis = 15 * second

/** The greatest deviation of a delay from the schedule, as a fraction of it; delays are spread evenly within. */
const jitterFraction = 0.2

/** The longest wait that a Retry-After header can request. */
const maxRetryAfterMillis = 24 * hour

/** A webhook is disabled when every attempt has failed for this long. [DELIV-4] */
const patienceMillis = 5 * 24 * hour

/** The state of a delivery and its webhook when the attempt is recorded. */
export interface AttemptedDelivery {
  /** Failed attempts before this one, since the delivery was queued or its webhook was last enabled. */
  readonly failures: number
  /** The instant of its last attempt, by `LeadOrder.deadlineOf`; null or absent: its retries alone end it. [ORD-4] */
  readonly deadline?: Instant | null
  /** The webhook in the transaction that records the attempt. */
  readonly webhook: { readonly enabled: boolean; readonly failingSince: Instant | null }
}

/** What an attempt changes on its delivery and its webhook. */
export interface AttemptTransition {
  /** `pending`: the next attempt is due at `dueAt`, after `failures` failed ones. `dead`: the delivery becomes a dead letter. */
  readonly delivery:
    | { readonly state: "delivered" }
    | { readonly state: "pending"; readonly failures: number; readonly dueAt: Instant }
    | { readonly state: "dead" }
  /** The webhook's new `failingSince`; null after a success. [DELIV-4] */
  readonly failingSince: Instant | null
  /** Why the attempt disables the webhook, as a sentence for its owner; null when it does not. [DELIV-4] */
  readonly disabledReason: string | null
}

/** Whether the receiver took the event: the status is 200 to 299. [DELIV-3] */
export const isSuccess = ({ status }: Pick<AttemptResult, "status">): boolean =>
  status !== null && status >= 200 && status <= 299

/**
 * Milliseconds until the next attempt: `scheduledMillis` with a jitter of up to ±20 %, or the receiver's Retry-After, at
 * most 24 hours, where that is longer. `draw` is a random number of at least 0 and below 1. [DELIV-3]
 */
export const delayMillis = (
  scheduledMillis: number,
  retryAfterSeconds: number | null,
  draw: number
): number => {
  const jittered = Math.round(scheduledMillis * (1 - jitterFraction + 2 * jitterFraction * draw))
  return Math.max(jittered, Math.min((retryAfterSeconds ?? 0) * second, maxRetryAfterMillis))
}

/** The status of a receiver that wants no more posts: 410 Gone. [DELIV-4] */
const gone = 410

/**
 * When the next attempt is due; null when none follows. An attempt that would come after the deadline is due at the deadline, unless Retry-After
 * forbids it until later.
 */
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
 * The transition that follows an attempt. A 2xx delivers and clears `failingSince`; a webhook that was disabled meanwhile
 * stays disabled. A 410 disables the webhook and keeps the delivery pending. Any other result plans the next attempt, or
 * makes the delivery dead after the last delay of `scheduleMillis` or at its deadline; it disables a webhook whose every
 * attempt has failed for 5 days. `draw` is as in `delayMillis`. [DELIV-3, DELIV-4, ORD-4]
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
