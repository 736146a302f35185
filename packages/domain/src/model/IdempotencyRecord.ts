/** What a store keeps of a call with an Idempotency-Key: neither the key nor a body, and the answer only sealed. [IDEM-5] */
import type { Instant } from "./Instant.ts"

/** The right of one call to do what its key stands for. */
export interface Reservation {
  /** The id of the record. */
  readonly id: string
  /** A text that no other call has. */
  readonly holder: string
}

/** The record of one Idempotency-Key that one operator used for one call. */
export interface IdempotencyRecord extends Reservation {
  /** The operator who used the key, such as `token 7`. */
  readonly actor: string
  /** A hash of the request, which differs for another request with the same key. */
  readonly fingerprint: string
  /**
   * `reserved`: the call may be under way, and none of its changes is committed. `applied`: its changes are committed, and its answer is
   * not kept yet. `answered`: its answer is kept.
   */
  readonly state: "reserved" | "applied" | "answered"
  /** When the key was first used; the record is kept for `keptMillis` from then on. */
  readonly createdAt: Instant
  /** Until when the holder may still be running; a repetition may take over from then on. */
  readonly leaseUntil: Instant
  /** The sealed answer; null unless `answered`, and where the answer was too long to keep. */
  readonly answer: string | null
}

/** The outcome of reserving a key. */
export type Reserved =
  | /** The call may run. */ { readonly type: "reserved" }
  | /** Another call with the key is under way; its lease ends in `retryAfterMillis`. */ {
      readonly type: "inProgress"
      readonly retryAfterMillis: number
    }
  | /** An earlier call took effect, but its answer was not kept: its process ended first, or it was too long. */ {
      readonly type: "answerLost"
    }
  | /** The answer of an earlier call, sealed. */ { readonly type: "answered"; readonly answer: string }
  | /** The key was used for another request. */ { readonly type: "otherRequest" }
  | /** The operator has `Idempotency.maxPerActor` keys in use. */ { readonly type: "tooMany" }
