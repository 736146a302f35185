/**
 * The store of Idempotency-Keys' records, and how a change is committed together with its record.
 *
 * A call that holds a key runs with its reservation in `currentReservation`. Each method of a store's other ports that writes does two more
 * things in its own transaction when there is a reservation. Unless the reservation is still held (`Idempotency.isHeld`), it changes nothing
 * and fails with `StoreUnavailable`; otherwise it marks the record `applied`. So a change and its record become visible with the same commit,
 * and a call whose key was taken over can change nothing any more. [IDEM-3]
 */
import { Context, FiberRef, GlobalValue } from "effect"
import type { ReserveRequest } from "../decisions/Idempotency.ts"
import { StoreUnavailable } from "../model/Failure.ts"
import type { Reservation, Reserved } from "../model/IdempotencyRecord.ts"
import type { Instant } from "../model/Instant.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

/** The reservation of the call that the fiber runs; null for a call without an Idempotency-Key. */
export const currentReservation: FiberRef.FiberRef<Reservation | null> = GlobalValue.globalValue(
  Symbol.for("@lead-signals/domain/currentReservation"),
  () => FiberRef.unsafeMake<Reservation | null>(null)
)

/** The failure of a write whose key another call has taken over. */
export const reservationLost = (): StoreUnavailable =>
  new StoreUnavailable({ reason: "another call with the same Idempotency-Key has taken over" })

/** The port of a store for Idempotency-Keys. Each method is atomic, and fails with `StoreUnavailable` while the store can't answer. */
export class IdempotencyRecords extends Context.Tag("@lead-signals/domain/IdempotencyRecords")<
  IdempotencyRecords,
  {
    /** Reserves the key, or answers why not, as `Idempotency.reserve` decides at the transaction's time. */
    readonly reserve: (request: ReserveRequest) => StoreEffect<Reserved>
    /** Stores the call's sealed answer if the reservation is still held. Null stands for an answer that is too long to keep. */
    readonly complete: (reservation: Reservation, answer: string | null) => StoreEffect<void>
    /** Removes the record if the reservation is still held and nothing was committed under it, so that the key can be used again at once. */
    readonly release: (reservation: Reservation) => StoreEffect<void>
    /** Removes records that are older than `before`, the oldest first, at most `limit` (at least 1). Answers how many. [IDEM-6] */
    readonly prune: (due: { readonly before: Instant; readonly limit: number }) => StoreEffect<number>
  }
>() {
  /** Whether each method reads or writes. */
  static readonly operations: Operations<IdempotencyRecords["Type"]> = {
    reserve: "write",
    complete: "write",
    release: "write",
    prune: "write"
  }
}
