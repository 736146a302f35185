/** What a store keeps of a call that bears an Idempotency-Key. It holds no key and no body, and answers only sealed. [IDEM-5] */
import type { Instant } from "./Instant.ts"

/** A call's hold on the record of its key. */
export interface Reservation {
  /** The id of the record. */
  readonly id: string
  /** A text that no other call has. */
  readonly holder: string
}

/** A record of one key of one operator on one call. */
export interface IdempotencyRecord extends Reservation {
  /** Whose key it is, such as `token 7`. */
  readonly actor: string
  /** Tells the request from others that bear the same key. */
  readonly fingerprint: string
  /**
   * `reserved`: the call may be under way, and nothing of it is committed; `applied`: what it changes is committed, and its answer
   * is not kept; `answered`: its answer is kept.
   */
  readonly state: "reserved" | "applied" | "answered"
  /** When the key was first used; the record is kept for `keptMillis` from then on. */
  readonly createdAt: Instant
  /** Until when the holder may still be at work. */
  readonly leaseUntil: Instant
  /** The sealed answer; null unless `answered`, and where the answer was too long to keep. */
  readonly answer: string | null
}

/** What comes of a reservation. */
export type Reserved =
  | /** The call may run. */ { readonly type: "reserved" }
  | /** Another call with the key is under way; it may be over after so many milliseconds. */ {
      readonly type: "inProgress"
      readonly retryAfterMillis: number
    }
  | /** An earlier call took effect, and its answer was never kept: its process ended first. */ {
      readonly type: "answerLost"
    }
  | /** The answer of an earlier call, sealed. */ { readonly type: "answered"; readonly answer: string }
  | /** The key belongs to another request. */ { readonly type: "otherRequest" }
  | /** The operator has as many keys in use as one may have. */ { readonly type: "tooMany" }
