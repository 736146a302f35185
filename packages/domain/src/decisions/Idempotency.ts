/** Decides whether a call with an Idempotency-Key may run, from the record of the key. A store calls it inside its transaction. [IDEM-1 … IDEM-4] */
import { millisPerDay } from "../model/Duration.ts"
import type { Instant } from "../model/Instant.ts"
import type { IdempotencyRecord, Reservation, Reserved } from "../model/IdempotencyRecord.ts"

/** Milliseconds for which a key is remembered, from its first use: a day. [IDEM-6] */
export const keptMillis = millisPerDay

/**
 * Milliseconds for which a call holds its key. A repetition takes the key over from a call that takes longer, which can then change nothing any
 * more. [IDEM-3]
 */
export const leaseMillis = 10_000

/** The maximum number of keys that one operator can have in use at once. [IDEM-6] */
export const maxPerActor = 10_000

/** A call's request to hold its key. */
export type ReserveRequest = Pick<IdempotencyRecord, "id" | "holder" | "actor" | "fingerprint">

/** Whether a call may run, and what the store writes. */
export interface Decision {
  /** The answer to the call. */
  readonly reserved: Reserved
  /** The record to write in place of the one before; null leaves that as it is. */
  readonly put: IdempotencyRecord | null
  /** Whether the operator has one more record by it. The store then checks `maxPerActor` before it writes. */
  readonly isNew: boolean
}

const answered = (reserved: Reserved): Decision => ({ reserved, put: null, isNew: false })

const reservedFor = (request: ReserveRequest, createdAt: Instant, now: Instant): IdempotencyRecord => ({
  ...request,
  state: "reserved",
  createdAt,
  leaseUntil: now + leaseMillis,
  answer: null
})

/** Whether the record is older than `keptMillis`, so that its key counts as unused. [IDEM-6] */
export const isExpired = ({ createdAt }: Pick<IdempotencyRecord, "createdAt">, now: Instant): boolean =>
  now >= createdAt + keptMillis

/**
 * Milliseconds by which a reservation may be ahead of now: clocks of nodes differ, and a transaction that waited for another one has the time of
 * its beginning. What is further ahead comes from a clock that was set back.
 */
export const clockDifferenceMillis = 1000

/** Whether the holder may still be at work. [IDEM-3] */
const isLeased = ({ leaseUntil }: Pick<IdempotencyRecord, "leaseUntil">, now: Instant): boolean =>
  now < leaseUntil && leaseUntil <= now + leaseMillis + clockDifferenceMillis

/** Decides over the record that the store has under the request's id, null where it has none. [IDEM-1 … IDEM-4] */
export const reserve = (kept: IdempotencyRecord | null, request: ReserveRequest, now: Instant): Decision => {
  if (kept === null || isExpired(kept, now))
    return { reserved: { type: "reserved" }, put: reservedFor(request, now, now), isNew: kept === null }
  if (kept.fingerprint !== request.fingerprint) return answered({ type: "otherRequest" })
  if (kept.state === "answered")
    return answered(kept.answer === null ? { type: "answerLost" } : { type: "answered", answer: kept.answer })
  if (isLeased(kept, now)) {
    const retryAfterMillis = Math.min(leaseMillis, kept.leaseUntil - now)
    return answered({ type: "inProgress", retryAfterMillis })
  }
  if (kept.state === "applied") return answered({ type: "answerLost" })
  return {
    reserved: { type: "reserved" },
    put: reservedFor(request, kept.createdAt, now),
    isNew: false
  }
}

/**
 * Whether the call still holds its key, so that it may commit. Each transaction that changes something under a reservation checks this, and
 * then marks the record `applied`, or else fails. [IDEM-3]
 */
export const isHeld = (kept: IdempotencyRecord | null, { holder }: Reservation): boolean =>
  kept !== null && kept.holder === holder && kept.state !== "answered"
