/** What an Idempotency-Key leads to, given what is kept of it. Pure: a store calls it inside its transaction. [IDEM-1 … IDEM-4] */
import { millisPerDay } from "../model/Duration.ts"
import type { Instant } from "../model/Instant.ts"
import type { IdempotencyRecord, Reservation, Reserved } from "../model/IdempotencyRecord.ts"

/** Milliseconds for which a key is remembered, from its first use: a day. [IDEM-6] */
export const keptMillis = millisPerDay

/**
 * Milliseconds that a call is waited for. A call that takes longer loses its hold to a repetition, and can then change nothing any
 * more. [IDEM-3]
 */
export const leaseMillis = 10_000

/** Keys that one operator may have in use at once. [IDEM-6] */
export const maxPerActor = 10_000

/** A call that wants to hold its key. */
export type ReserveRequest = Pick<IdempotencyRecord, "id" | "holder" | "actor" | "fingerprint">

/** The answer to a call, and the record to keep instead of the one before; null leaves that as it is. */
export interface Decision {
  /** What comes of the call. */
  readonly reserved: Reserved
  /** What the store writes. */
  readonly put: IdempotencyRecord | null
  /** Whether the record is one more of its operator: the store then checks `maxPerActor` first. */
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

/** Whether the record is older than a key is remembered. [IDEM-6] */
export const isExpired = ({ createdAt }: Pick<IdempotencyRecord, "createdAt">, now: Instant): boolean =>
  now >= createdAt + keptMillis

/** Decides over the record that is kept under the id; null where there is none. */
export const reserve = (kept: IdempotencyRecord | null, request: ReserveRequest, now: Instant): Decision => {
  if (kept === null || isExpired(kept, now))
    return { reserved: { type: "reserved" }, put: reservedFor(request, now, now), isNew: kept === null }
  if (kept.fingerprint !== request.fingerprint) return answered({ type: "otherRequest" })
  if (kept.state === "answered")
    return answered(kept.answer === null ? { type: "answerLost" } : { type: "answered", answer: kept.answer })
  if (now < kept.leaseUntil) return answered({ type: "inProgress", retryAfterMillis: kept.leaseUntil - now })
  if (kept.state === "applied") return answered({ type: "answerLost" })
  return {
    reserved: { type: "reserved" },
    put: reservedFor(request, kept.createdAt, now),
    isNew: false
  }
}

/**
 * Whether the call still holds the record, and may commit its change. A transaction that changes something on behalf of a reservation
 * checks it and marks the record `applied`, or fails. [IDEM-3]
 */
export const isHeld = (kept: IdempotencyRecord | null, { holder }: Reservation): boolean =>
  kept !== null && kept.holder === holder && kept.state !== "answered"
