/**
 * Pruning: a store removes what it has kept long enough. Something is due when it is older than its kind's retention. A store removes nothing
 * that something else still needs:
 *
 * - A delivery goes when it is finished and due, with its log of attempts. A pending one is never due.
 * - An event goes when it is due and no delivery of it is left. The `lead2.created` of a lead goes only with the lead, so that it can be sent to
 *   another webhook at any time. [EVT-9]
 * - An engagement goes when it is due and its `activity.detected` has gone.
 * - A lead goes, with its engagements and events, when it is due, no delivery about it is left, and all of its `activity.detected` have gone. No
 *   hash remains, so the person can become a lead again.
 * - A suppression goes when it is due.
 *
 * Nothing else changes: neither counts, order and fields of the leads that stay, nor readings of campaigns. Ids and positions of pruned things
 * are never given again. [RET-2 … RET-7]
 */
import { Context } from "effect"
import type { Instant } from "../model/Instant.ts"
import type { RetentionKind, RetentionLimits } from "../model/Retention.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

/** The position at which the next piece of a kind begins. Callers hand it back unchanged; the row that it names may be gone by then. */
export type PruneCursor = ReadonlyArray<number>

/** A lease on pruning: of several processes on one store, only the holder prunes. */
export interface PruneLease {
  /** A text that no other process has. */
  readonly holder: string
  /** Milliseconds after each piece that removed something for which the lease is the holder's. */
  readonly leaseMillis: number
}

/** A request to prune one piece. */
export interface PruneRequest {
  /** The kind to remove. */
  readonly kind: RetentionKind
  /**
   * Things that are older are due: a delivery by its `finishedAt`, an event by its `occurredAt`, an engagement by its `trackedAt`, a lead by
   * its `updatedAt`, a suppression by the time of the erasure.
   */
  readonly before: Instant
  /** Where the piece begins: null at the beginning of a round, then the `next` of the piece before. */
  readonly after: PruneCursor | null
  /** The maximum number to remove, at least 1. A store may remove fewer, to keep its transaction short. */
  readonly limit: number
  /** The lease to take or renew first; null prunes without a lease, also while another process holds it. */
  readonly lease: PruneLease | null
}

/** The result of one piece. */
export interface Pruned {
  /** How many of the kind were removed; things that went with them do not count. */
  readonly removed: number
  /** The earliest of the instants of `PruneRequest.before` among the removed ones; null when nothing was removed. */
  readonly oldest: Instant | null
  /** Where the next piece begins; null when the round through the kind is over. */
  readonly next: PruneCursor | null
  /** Whether another process holds the lease, so that nothing was removed. */
  readonly isLeasedElsewhere: boolean
}

/** How many of each kind are due. */
export type DueCounts = Readonly<Record<RetentionKind, number>>

/**
 * The port of a store for retention. Each method is atomic, and fails with `StoreUnavailable` while the store can't answer. A store keeps no
 * state of a round: one that was interrupted anywhere begins anew.
 */
export class Pruning extends Context.Tag("@lead-signals/domain/Pruning")<
  Pruning,
  {
    /** Removes one piece in one short transaction. A piece that finds nothing writes nothing. */
    readonly prune: (request: PruneRequest) => StoreEffect<Pruned>
    /** Counts what a round with these limits would remove, and removes nothing. It may read a large part of the store. */
    readonly countDue: (limits: RetentionLimits) => StoreEffect<DueCounts>
    /**
     * Answers the greatest position of an event that was ever pruned; 0 when none was. No event after that position is missing. [RET-5]
     */
    readonly newestPrunedEvent: StoreEffect<number>
  }
>() {
  /** Whether each method reads or writes. */
  static readonly operations: Operations<Pruning["Type"]> = {
    prune: "write",
    countDue: "read",
    newestPrunedEvent: "read"
  }
}
