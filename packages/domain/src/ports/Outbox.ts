/**
 * The events, committed together with the changes that they report, and their deliveries to each subscribing webhook.
 * It is part of the store: an event, and a pending delivery of it for each webhook of the brand that subscribes to its
 * type at that moment, enabled or not, are there exactly when its lead and engagement are. [DELIV-2, EVT-7]
 */
import { Context, type Effect } from "effect"
import type { BodyMaterial, DeliveryId } from "../model/Delivery.ts"
import type { StoreUnavailable } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"
import type { Webhook } from "../model/Webhook.ts"
import type { DeliveryPlace } from "../decisions/LeadOrder.ts"
import type { Limits, UnderWay } from "../decisions/DeliverySlots.ts"
import type { FinishedAttempt, Recorded } from "../decisions/AttemptTransitions.ts"
import type { Operations } from "./Operation.ts"

/** An emitter's request for deliveries to attempt. */
export interface LeaseRequest {
  /** A text that no other request has. A later `record` must show it. */
  readonly token: string
  /**
   * The emitter that asks: its tokens are this text, a hyphen and something more, and no other emitter's begin so. A store that several
   * hosts share counts leases of other emitters that stand against the limit of one webhook. Absent: it counts none. [DELIV-7]
   */
  readonly emitter?: string
  /** Milliseconds until others may take the same deliveries. */
  readonly leaseMillis: number
  /** How many attempts may be under way at once, in all and for one webhook. [DELIV-7] */
  readonly limits: Limits
  /** The attempts that count against the limits already. */
  readonly underWay: UnderWay
  /**
   * Makes the body of a delivery that has none yet. It must be a plain function, because the transaction in which it
   * runs may be tried again. Null when no body can be made: the delivery is leased without one.
   */
  readonly body: (material: BodyMaterial) => string | null
}

/** The right to make one attempt of one delivery until `until`. */
export interface Lease {
  /** The delivery to attempt. */
  readonly deliveryId: DeliveryId
  /** The token for `record`, by `DeliverySlots.leaseToken`: a store can count posts under way by it. */
  readonly token: string
  /**
   * Leases of one answer with the same number are of one webhook and go in one post, in their order. Null: the webhook takes no batches,
   * and the delivery goes alone. [BATCH-1]
   */
  readonly batch: number | null
  /** The time from which another process may take the delivery. */
  readonly until: Instant
  /** The body, the same to the byte at every attempt of the id; null when none could be made. */
  readonly body: string | null
  /** The delivery that this one sends again; null on a first one. */
  readonly resendOf: DeliveryId | null
  /** Its place among its lead's; null where the webhook is not ordered. [ORD-5] */
  readonly place: DeliveryPlace | null
  /** Where to post, and the secrets that sign. */
  readonly webhook: Webhook
}

/** The deliveries that one call of `lease` took. */
export interface Leased {
  /** At most as many posts as the limits leave places for; empty when nothing is to be sent now. */
  readonly leases: ReadonlyArray<Lease>
  /**
   * When, after now, the next delivery becomes due of an enabled webhook that has a place for it; null when none
   * does. A webhook without a place does not count: one of its attempts must end first.
   */
  readonly nextDueAt: Instant | null
}

/** The port of a store for the emitter, which takes deliveries and records their attempts. */
export class Outbox extends Context.Tag("@lead-signals/domain/Outbox")<
  Outbox,
  {
    /**
     * Takes due deliveries of enabled webhooks, oldest first within a webhook, as `DeliverySlots.allocate` deals out places for posts, and
     * `Batches.form` and `Batches.fitting` group what is due of a webhook that takes batches. [BATCH-1]
     * It makes and keeps a body that a delivery lacks, in the same transaction. No two calls, of whatever process,
     * get the same delivery before the lease of the first has run out or its attempt was recorded. Of the deliveries
     * with one `orderedLead` it takes the first that is pending, and no other. Fails with `StoreUnavailable`.
     * [DELIV-2, DELIV-7, ORD-2]
     */
    readonly lease: (request: LeaseRequest) => Effect.Effect<Leased, StoreUnavailable>

    /**
     * Logs the attempts and settles them in one transaction, as `AttemptTransitions.settleAll` says; answers what
     * became of each, in order. A delivery may be gone: erased, replaced, or its webhook deleted. A delivery that is
     * delivered or dead keeps no body. Fails with `StoreUnavailable`. [DELIV-3, DELIV-5]
     */
    readonly record: (
      attempts: ReadonlyArray<FinishedAttempt>
    ) => Effect.Effect<ReadonlyArray<Recorded>, StoreUnavailable>

    /**
     * Waits until this process has made deliveries due: by a commit, by sending again, or by enabling a webhook. It
     * ends at once when that happened since the last wait, and may end without a reason. Never fails.
     */
    readonly queued: Effect.Effect<void>
  }
>() {
  /** Which methods write the store; a wrapper of the port derives its list from here. */
  static readonly operations: Operations<Outbox["Type"]> = {
    lease: "write",
    record: "write",
    queued: "wait"
  }
}
