/**
 * The emitter's part of the store of deliveries. `LeadStore.commit` writes an event in the transaction of its lead and
 * engagement, with a pending delivery for each webhook of the brand, enabled or not, that subscribes to the type at that
 * moment: either all of them exist or none. [DELIV-2, EVT-7]
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
  /** A text that no other request has. `record` of the attempts takes the tokens that derive from it. */
  readonly token: string
  /**
   * The emitter of the request. Its tokens are this text, a hyphen and something more, and no other emitter's tokens begin so. A store that
   * several hosts share counts current leases of other emitters against the limit of one webhook. Absent: it counts none. [DELIV-7]
   */
  readonly emitter?: string
  /** Milliseconds after which others may lease the same deliveries. */
  readonly leaseMillis: number
  /** The maximum numbers of attempts that are under way at once, in all and for one webhook. [DELIV-7] */
  readonly limits: Limits
  /** The attempts that take up slots already. */
  readonly underWay: UnderWay
  /**
   * Makes the body of a delivery that has none yet; null when it can't, and the delivery is leased without a body. It must be
   * a plain function, because the transaction in which it runs may be tried again.
   */
  readonly body: (material: BodyMaterial) => string | null
}

/** The right to make one attempt of one delivery until `until`. */
export interface Lease {
  /** The delivery to attempt. */
  readonly deliveryId: DeliveryId
  /** The token for `record`, made by `DeliverySlots.leaseToken`. The leases of one post share it. */
  readonly token: string
  /**
   * The number of its batch: leases of one answer with the same number are of one webhook and go in one post, in their order. Null where the
   * webhook takes no batches, and the delivery goes alone. [BATCH-1]
   */
  readonly batch: number | null
  /** The instant from which another process may lease the delivery. */
  readonly until: Instant
  /** The body, the same to the byte at every attempt of the delivery's id; null when none could be made. */
  readonly body: string | null
  /** The delivery that this one sends again; null on a first one. */
  readonly resendOf: DeliveryId | null
  /** Its position in its lead's order; null where the webhook is not ordered. [ORD-5] */
  readonly place: DeliveryPlace | null
  /** Where to post, and the secrets that sign. */
  readonly webhook: Webhook
}

/** The answer of `lease`. */
export interface Leased {
  /** At most as many posts as there are free slots; empty when nothing is to be sent now. */
  readonly leases: ReadonlyArray<Lease>
  /**
   * When, after now, the next delivery becomes due of an enabled webhook that has a free slot; null when none does. A
   * webhook without a free slot does not count, because one of its attempts must end first.
   */
  readonly nextDueAt: Instant | null
}

/** The port of a store for the emitter, which leases deliveries and records their attempts. */
export class Outbox extends Context.Tag("@lead-signals/domain/Outbox")<
  Outbox,
  {
    /**
     * Leases due deliveries of enabled webhooks, oldest first within a webhook. Fails with `StoreUnavailable`.
     *
     * - `DeliverySlots.allocate` says how many posts of each webhook; for a webhook that takes batches, `Batches.form` and
     *   `Batches.fitting` group its due deliveries. [DELIV-7, BATCH-1]
     * - Of a webhook's deliveries with one `orderedLead` only the first pending one is leased. [ORD-2]
     * - A delivery without a body gets one and keeps it, in the same transaction. [DELIV-2]
     * - A leased delivery is not leased again, by whatever process, before its lease has run out or its attempt was recorded.
     */
    readonly lease: (request: LeaseRequest) => Effect.Effect<Leased, StoreUnavailable>

    /**
     * Logs the attempts and applies what `AttemptTransitions.settleAll` decides, in one transaction; answers the outcome of
     * each, in order. A delivery may be gone: erased, renewed by an erasure, or deleted with its webhook. A delivery that is
     * delivered or dead loses its body. Fails with `StoreUnavailable`. [DELIV-3, DELIV-5]
     */
    readonly record: (
      attempts: ReadonlyArray<FinishedAttempt>
    ) => Effect.Effect<ReadonlyArray<Recorded>, StoreUnavailable>

    /**
     * Waits until this process has made deliveries due: by a commit, by queueing again, or by enabling a webhook. It ends at
     * once when that happened since the last wait, and may end without such a reason. Never fails.
     */
    readonly queued: Effect.Effect<void>
  }
>() {
  /** Whether each method reads or writes. */
  static readonly operations: Operations<Outbox["Type"]> = {
    lease: "write",
    record: "write",
    queued: "wait"
  }
}
