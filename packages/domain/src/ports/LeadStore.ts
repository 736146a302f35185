/**
 * The store of leads and their engagements. Every method is atomic: it sees one state of the store, and one that fails has
 * changed nothing. A brand that does not exist has no leads.
 */
import { Context, type Effect, type Option } from "effect"
import type { BrandId } from "../model/Brand.ts"
import type { DeliveryId } from "../model/Delivery.ts"
import type { StoreUnavailable } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"
import type { Engagement, EngagementRead, EngagementWindow, Lead, LeadId, Post } from "../model/Lead.ts"
import type { ChangePosition, RemovedLead } from "../model/LeadChange.ts"
import type { LeadEvent } from "../model/LeadEvent.ts"
import type { Profile } from "../model/Profile.ts"
import type { Signal } from "../model/Signal.ts"
import type { EngagementDepth, LeadQuery } from "../queries/LeadQuery.ts"
import type { Counted, CountedIntervals, IntervalCount } from "../decisions/CountSeries.ts"
import type { CurrentState, Decision } from "../decisions/Observations.ts"
import type { Operations } from "./Operation.ts"

/** An observation as a store takes it: the keys of the state that it depends on, and the decision over that state. */
export interface Proposal {
  /** The person's id on the network: the store finds the lead by it. */
  readonly personExtId: string
  /**
   * Computes `Suppression.hash` of the person's id, by which the store recognises an erased person. The computation takes longer than the
   * look-up, so a store need not call it for a brand of which nobody was erased.
   */
  readonly personHash: () => string
  /** Computes `Suppression.hash` of the post author's id; null when the author has no id. */
  readonly authorHash: (() => string) | null
  /** The engagement's id, by which a repeated observation is recognised. [EVT-8] */
  readonly engagementId: string
  /** The signal that caught the engagement. */
  readonly signalId: string
  /**
   * Decides over the current state, at the time of the commit. It must be a plain function, because a transaction may be
   * tried again.
   */
  readonly decide: (known: CurrentState, now: Instant) => Decision
}

/** What became of a proposal. */
export interface Committed {
  /** The outcome of its decision. */
  readonly outcome: Decision["outcome"]
  /** The lead that has the engagement; null when the observation was suppressed or rejected. */
  readonly leadId: LeadId | null
  /** Why it was rejected, and what to send instead; absent otherwise. */
  readonly message?: string
}

/** A lead as it was read, with its engagements where the query requests them. */
export interface LeadRead {
  /** The lead in the state of the store that the method saw. */
  readonly lead: Lead
  /** The lead's newest engagements; null when the query does not request them. */
  readonly window: EngagementWindow | null
}

/** Everything that the store has about a person. */
export interface PersonData {
  /** The lead with its profile, flags and score. */
  readonly lead: Lead
  /** Every engagement of the lead, newest first, however many. */
  readonly engagements: ReadonlyArray<EngagementRead>
  /**
   * The posts whose author has the person's external id and with which leads of the brand engaged: each once, in no order. An erasure
   * removes the author and the text of these posts.
   */
  readonly posts: ReadonlyArray<Post>
}

/** One page of the leads that match a filter. */
export interface LeadPage {
  /** The number of leads that pass the filter, on all pages. */
  readonly total: number
  /** The leads of the page, in the query's order; empty past the end. [PAGE-3] */
  readonly leads: ReadonlyArray<LeadRead>
}

/**
 * A page whose leads are JSON texts. A store never changes a page that it has answered, and answers the same object while
 * the page is cached: so a caller can cache by the object what it derives from the page.
 */
export interface RenderedPage {
  /** The number of leads that pass the filter, on all pages. */
  readonly total: number
  /** Each lead as `RenderedLeads.listed` renders it, with its engagements if the query requests them. */
  readonly leads: ReadonlyArray<string>
}

/** An event with the names that a stream of live events shows. */
export interface EventRead {
  /** The position of the event: it ascends with the commits of the brand, and is never given twice. */
  readonly position: number
  /** The event itself. */
  readonly event: LeadEvent
  /** The name and headline of its lead, as they are now. */
  readonly person: Pick<Profile, "name" | "headline">
  /** The engagement that fired it. */
  readonly engagement: Pick<Engagement, "type" | "reactionType">
  /** The signal that caught the engagement, with its name as it is now. */
  readonly signal: Pick<Signal, "id" | "name">
}

/** The events of one call of `eventsAfter`. */
export interface EventPage {
  /** The events, in the order of their positions. */
  readonly events: ReadonlyArray<EventRead>
  /** The position for the next call: no event of the brand up to here is missing. */
  readonly position: number
}

/** One change: a lead in its newest state, or a removed lead. */
export type ChangeRead =
  | {
      /** The lead exists. */
      readonly type: "lead"
      /** The lead, with its engagements where the query requests them. */
      readonly read: LeadRead
    }
  | ({
      /** The lead was erased or pruned. */
      readonly type: "removed"
    } & RemovedLead)

/** The changes of one call of `changesAfter`. */
export type ChangePage =
  /** The store no longer knows all changes since the position. [CHG-5] */
  | {
      /** A change since the position may be missing. */
      readonly isExpired: true
    }
  | {
      /** No change since the position is missing. */
      readonly isExpired: false
      /** The changes in the order of their positions, each lead once. */
      readonly changes: ReadonlyArray<ChangeRead>
      /** The position for the next call: no change of the brand up to here is missing. */
      readonly next: ChangePosition
      /** Whether more changes may follow; false where none did. */
      readonly hasMore: boolean
    }

/** A request for a list, without the parameters that were ignored. */
export type LeadListQuery = Omit<LeadQuery, "ignored">

/**
 * Two optional methods, for a store that keeps rendered JSON. Without them the use case `Leads` renders what `list` and
 * `get` answer, to the same text.
 */
export interface LeadRendering {
  /** Answers the page of `list`, rendered as `RenderedLeads.ofPage` does. */
  readonly listRendered: (
    brandId: BrandId,
    query: LeadListQuery
  ) => Effect.Effect<RenderedPage, StoreUnavailable>

  /** Answers the lead of `get`, rendered as `RenderedLeads.ofLead` does. */
  readonly getRendered: (
    brandId: BrandId,
    id: LeadId,
    engagements: EngagementDepth
  ) => Effect.Effect<Option.Option<string>, StoreUnavailable>
}

/** The port of a store for leads. A store that keeps rendered JSON has the two methods of `LeadRendering`, too. */
export class LeadStore extends Context.Tag("@lead-signals/domain/LeadStore")<
  LeadStore,
  {
    /**
     * Decides and commits the proposals in order, in one transaction with their events and the events' deliveries; each
     * decision sees the changes of those before it. Answers in the same order. A commit that succeeded survives a crash of
     * the process and, in a store on disk, a loss of power. The store reads `now` from `Clock` in the transaction. Each
     * call of `ids` gives the id of another new delivery. Fails with `StoreUnavailable`. [DELIV-2]
     */
    readonly commit: (
      brandId: BrandId,
      proposals: ReadonlyArray<Proposal>,
      ids: () => DeliveryId
    ) => Effect.Effect<ReadonlyArray<Committed>, StoreUnavailable>

    /**
     * Answers one page of the leads that pass the filter, in the query's order with ties by id ascending. A page past
     * the end is empty, and an unknown brand has no leads. [SORT-5, PAGE-3]
     */
    readonly list: (brandId: BrandId, query: LeadListQuery) => Effect.Effect<LeadPage, StoreUnavailable>

    /**
     * Answers one lead, with its newest engagements unless `engagements` is `"none"`. None when it is unknown, erased or
     * another brand's. For `"plain"` engagements a store need not read the author's detail and lead; the same is true of
     * `list`. [AUTH-3, ENG-1]
     */
    readonly get: (
      brandId: BrandId,
      id: LeadId,
      engagements: LeadQuery["engagements"]
    ) => Effect.Effect<Option.Option<LeadRead>, StoreUnavailable>

    /** Answers everything that the store has about a person. None when the lead is unknown, erased or another brand's. [PII-3] */
    readonly exportData: (
      brandId: BrandId,
      id: LeadId
    ) => Effect.Effect<Option.Option<PersonData>, StoreUnavailable>

    /**
     * Replaces the lead by what `change` makes of it, in one transaction: flags, score and `updatedAt` may differ. Answers
     * the new lead; none when the brand has no such lead. `change` must be a plain function, because a transaction may be
     * tried again. [OPER-5]
     */
    readonly update: (
      brandId: BrandId,
      id: LeadId,
      change: (lead: Lead, now: Instant) => Lead
    ) => Effect.Effect<Option.Option<Lead>, StoreUnavailable>

    /**
     * Erases a person: the lead with its engagements, its events, and their deliveries with bodies and logs. It stores
     * `personHash`, so that `CurrentState.personSuppressed` is true from then on. It removes the person as the author from
     * posts that other leads engaged with, and moves the `updatedAt` of these leads. Deliveries about these leads may name
     * the author: their logs lose the receivers' answers, and a pending one with a body gets a new id and loses the body,
     * because one id has one body. A receiver answers a batch once, so each attempt that shares a `batchId` with an attempt of
     * a delivery about the person, or of one that may name the person, loses its answer, too. Answers whether the brand had
     * such a lead. [PII-3, BATCH-3]
     */
    readonly erase: (
      brandId: BrandId,
      id: LeadId,
      personHash: string,
      ids: () => DeliveryId
    ) => Effect.Effect<boolean, StoreUnavailable>

    /**
     * Answers the brand's events after a position, in the order of their commits: at most `limit`, or fewer where the store
     * bounds how many rows it looks at. An event that commits later has a greater position than all that were answered. An
     * `after` of null answers no events, and the position after which later ones follow. Events of erased leads are gone, and a
     * `lead2.created` whose engagement was pruned is left out. [LIVE-1, RET-6]
     */
    readonly eventsAfter: (
      brandId: BrandId,
      after: number | null,
      limit: number
    ) => Effect.Effect<EventPage, StoreUnavailable>

    /**
     * Answers the changes after a position, in the order of their commits: at most `limit`, or fewer where the store bounds how many rows it
     * looks at. An `after` of null begins with the brand's first lead.
     *
     * - Each lead has one position, that of its newest change, and is answered there in its newest state: a lead that changes moves to the
     *   end. A change that commits later has a greater position than all that were answered, also among concurrent writers.
     * - A lead changes with each recorded observation, with an update that alters it, and when an erasure removes the author of a post that it
     *   engaged with.
     * - A lead that is erased or pruned leaves its id and the time for `removedLeadDays`. The deletion of a brand leaves nothing.
     * - The answer is `isExpired` where the store has forgotten a removal after the position, and where the position is of another epoch or
     *   greater than any that this store gave. [CHG-1, CHG-3, CHG-5]
     */
    readonly changesAfter: (
      brandId: BrandId,
      after: ChangePosition | null,
      query: { readonly limit: number; readonly engagements: LeadQuery["engagements"] }
    ) => Effect.Effect<ChangePage, StoreUnavailable>

    /**
     * Counts the brand's leads or engagements in each interval, by group, in no order. What was erased does not count. [SERIES-5]
     */
    readonly counts: (
      brandId: BrandId,
      counted: Counted,
      intervals: CountedIntervals
    ) => Effect.Effect<ReadonlyArray<IntervalCount>, StoreUnavailable>

    /**
     * Removes a part of the brand's leads, each with its engagements, its events and their deliveries; the part is small
     * enough that other work does not wait long. Answers how many leads the brand has left. It serves the deletion of a
     * brand: unlike `erase` it stores no hash, and does not remove authors from posts, because the other leads' engagements
     * go with those leads. [DEL-1]
     */
    readonly removeSome: (brandId: BrandId) => Effect.Effect<number, StoreUnavailable>
  } & Partial<LeadRendering>
>() {
  /** Whether each method reads or writes. */
  static readonly operations: Operations<LeadStore["Type"]> = {
    commit: "write",
    list: "read",
    listRendered: "read",
    get: "read",
    getRendered: "read",
    exportData: "read",
    update: "write",
    erase: "write",
    eventsAfter: "read",
    changesAfter: "read",
    counts: "read",
    removeSome: "write"
  }
}
