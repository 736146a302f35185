/**
 * Removes what a store has kept long enough. A store removes nothing that something else still needs:
 * - a delivery goes when it is finished and due; its log of attempts goes with it. A pending one is never due;
 * - an event goes when it is due and no delivery of it is left. The `lead2.created` of a lead goes with the lead alone, so that it can
 *   be sent to another webhook at any time [EVT-9];
 * - an engagement goes when it is due and its `activity.detected` has gone;
 * - a lead goes, with its engagements and events, when it is due, no delivery about it is left, and all of its `activity.detected`
 *   have gone. It leaves no hash: the person may become a lead again;
 * - a suppression goes when it is due.
 *
 * Nothing else changes: counts, order and fields of the leads that stay, and readings of campaigns. Ids and positions of what was
 * pruned are not given again. [RET-2 … RET-7]
 */
import { Context } from "effect"
import type { Instant } from "../model/Instant.ts"
import type { RetentionKind, RetentionLimits } from "../model/Retention.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

/** The position at which the next piece of a kind begins. Callers pass it on unchanged; the row that it names may be gone by then. */
export type PruneCursor = ReadonlyArray<number>

/** A lease on pruning: of several processes on one store, only its holder prunes. */
export interface PruneLease {
  /** A text that no other process has. */
  readonly holder: string
  /** Milliseconds for which others leave the pruning to the holder, after each piece that removed something. */
  readonly leaseMillis: number
}

/** One piece of work. */
export interface PruneRequest {
  /** What to remove. */
  readonly kind: RetentionKind
  /**
   * What was over before it is due: a delivery by `finishedAt`, an event by its time, an engagement by `trackedAt`, a lead by
   * `updatedAt`, a suppression by the time of the erasure.
   */
  readonly before: Instant
  /** Where to go on: null at the beginning of a round, then the `next` of the piece before. */
  readonly after: PruneCursor | null
  /** How many may go at most, at least 1. A store may remove fewer, to keep its transaction short. */
  readonly limit: number
  /** The lease to take or renew first; null prunes without one, also while another process holds it. */
  readonly lease: PruneLease | null
}

/** What a piece has done. */
export interface Pruned {
  /** How many of the kind were removed, without what went with them. */
  readonly removed: number
  /** The earliest instant at which something that was removed was over; null when nothing was. */
  readonly oldest: Instant | null
  /** Where the next piece goes on; null when the round through the kind is over. */
  readonly next: PruneCursor | null
  /** Whether another process holds the lease: nothing was removed. */
  readonly isLeasedElsewhere: boolean
}

/** How many of each kind are due. */
export type DueCounts = Readonly<Record<RetentionKind, number>>

/**
 * The port of a store for retention. Each method is atomic, and fails with `StoreUnavailable` while the store can't answer. A round
 * is stateless: one that was interrupted anywhere begins again.
 */
export class Pruning extends Context.Tag("@lead-signals/domain/Pruning")<
  Pruning,
  {
    /** Removes one piece in one short transaction. A piece that finds nothing writes nothing. */
    readonly prune: (request: PruneRequest) => StoreEffect<Pruned>
    /** Counts what a round with these limits would remove, and removes nothing. It may read much. */
    readonly countDue: (limits: RetentionLimits) => StoreEffect<DueCounts>
    /**
     * Answers the greatest position of an event that was ever pruned; 0 when none was. Between an event at or after that position and
     * the newest one, nothing was pruned. [RET-5]
     */
    readonly newestPrunedEvent: StoreEffect<number>
  }
>() {
  /** Which methods write the store; a wrapper of the port derives its list from here. */
  static readonly operations: Operations<Pruning["Type"]> = {
    prune: "write",
    countDue: "read",
    newestPrunedEvent: "read"
  }
}
