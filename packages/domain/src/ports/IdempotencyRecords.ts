/**
 * The records of Idempotency-Keys, and how a change is committed together with its record.
 *
 * The call that holds a key runs with its reservation in `currentReservation`. Each method of a store's other ports that runs so and
 * writes does two things more in its own transaction: it fails with `StoreUnavailable`, and changes nothing, unless the
 * reservation is still held (`Idempotency.isHeld`), and it marks the record `applied`. So what was done under a key is known to be done
 * from the same commit on, and a call that was overtaken can do nothing any more. [IDEM-3]
 */
import { Context, FiberRef, GlobalValue } from "effect"
import type { ReserveRequest } from "../decisions/Idempotency.ts"
import { StoreUnavailable } from "../model/Failure.ts"
import type { Reservation, Reserved } from "../model/IdempotencyRecord.ts"
import type { Instant } from "../model/Instant.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

/** The reservation on whose behalf the fiber works; null for most calls. */
export const currentReservation: FiberRef.FiberRef<Reservation | null> = GlobalValue.globalValue(
  Symbol.for("@lead-signals/domain/currentReservation"),
  () => FiberRef.unsafeMake<Reservation | null>(null)
)

/** The failure of a write whose reservation another call holds by now. */
export const reservationLost = (): StoreUnavailable =>
  new StoreUnavailable({ reason: "another call with the same Idempotency-Key has taken over" })

/** The port of a store for Idempotency-Keys. Each method is atomic, and fails with `StoreUnavailable` while the store can't answer. */
export class IdempotencyRecords extends Context.Tag("@lead-signals/domain/IdempotencyRecords")<
  IdempotencyRecords,
  {
    /** Reserves the key, or answers what an earlier call with it came to, by `Idempotency.reserve` at the transaction's time. */
    readonly reserve: (request: ReserveRequest) => StoreEffect<Reserved>
    /** Keeps the sealed answer, if the reservation is still held. A null answer says that there was one too long to keep. */
    readonly complete: (reservation: Reservation, answer: string | null) => StoreEffect<void>
    /** Forgets a reservation that is still held and under which nothing was committed. */
    readonly release: (reservation: Reservation) => StoreEffect<void>
    /** Removes the oldest of the records of before an instant, at most `limit` (at least 1). Answers how many it removed. */
    readonly prune: (due: { readonly before: Instant; readonly limit: number }) => StoreEffect<number>
  }
>() {
  /** Which methods write the store; a wrapper of the port derives its list from here. */
  static readonly operations: Operations<IdempotencyRecords["Type"]> = {
    reserve: "write",
    complete: "write",
    release: "write",
    prune: "write"
  }
}
