/**
 * The events that were committed together with what they tell of, and their way to each webhook that subscribes to them.
 * It is part of the store: an event, and a pending delivery of it for each webhook of the brand that subscribes to its
 * type at that moment, enabled or not, are there exactly when its lead and engagement are. [DELIV-2, EVT-7]
 */
import { Context, type Effect } from "effect"
import type { BodyMaterial, DeliveryId } from "../model/Delivery.ts"
import type { StoreUnavailable } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"
import type { Webhook } from "../model/Webhook.ts"
import type { Limits, UnderWay } from "../decisions/Leasing.ts"
import type { FinishedAttempt, Recorded } from "../decisions/AttemptTransitions.ts"
import type { Operations } from "./Operation.ts"

export interface LeaseRequest {
  /** Who takes: a text that no other taking has. A later `record` must show it. */
  readonly token: string
  /** How long until others may take the same deliveries. */
  readonly leaseMillis: number
  readonly limits: Limits
  readonly underWay: UnderWay
  /**
   * Makes a delivery's body, of a delivery that has none yet. Called in the transaction, which may be tried again: it must
   * be a plain function. Null when none can be made: the delivery is leased without.
   */
  readonly body: (material: BodyMaterial) => string | null
}

/** The right to make one attempt of one delivery until `until`. */
export interface Lease {
  readonly deliveryId: DeliveryId
  readonly token: string
  readonly until: Instant
  /** The same to the byte at every attempt of the id; null when none could be made. */
  readonly body: string | null
  readonly webhook: Webhook
}

export interface Leased {
  readonly leases: ReadonlyArray<Lease>
  /**
   * When, after now, the next delivery becomes due of an enabled webhook that had a place for it; null when none does.
   * Of one that had no place, an attempt will end before anything can be done.
   */
  readonly nextDueAt: Instant | null
}

export class Outbox extends Context.Tag("@lead-signals/domain/Outbox")<
  Outbox,
  {
    /**
     * Takes due deliveries of enabled webhooks, oldest first within a webhook, as `Leasing.allocate` deals them out. A body
     * that was not made before is made and kept, in the same transaction. No two calls, of whatever process, get the
     * same delivery before the first one's lease has run out or its attempt was recorded.
     */
    readonly lease: (request: LeaseRequest) => Effect.Effect<Leased, StoreUnavailable>

    /**
     * Logs and settles the attempts in one transaction, as `AttemptTransitions.settleAll` says. A delivery may be gone: erased,
     * replaced, or its webhook deleted. Once delivered, or dead, a delivery's body is no longer kept.
     */
    readonly record: (
      attempts: ReadonlyArray<FinishedAttempt>
    ) => Effect.Effect<ReadonlyArray<Recorded>, StoreUnavailable>

    /**
     * Waits until this process has made deliveries due: by a commit, a re-send, or by enabling a webhook. What happened
     * since the last wait counts; it may also end for nothing. Never fails.
     */
    readonly queued: Effect.Effect<void>
  }
>() {
  static readonly operations: Operations<Outbox["Type"]> = {
    lease: "write",
    record: "write",
    queued: "wait"
  }
}
