/**
 * Where leads and their engagements are kept. Every method is atomic: it sees one state of the store, and a failed one
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

/** The parts of a store that an observation touches, and the pure decision over their state. */
export interface Proposal {
  /** The person's id on the network: the store finds the lead by it. */
  readonly personExtId: string
  /**
   * Computes `Suppression.hash` of the person's id: the store knows an erased person by it. That takes longer than to look it up, so a
   * store need not call it while nobody of the brand is erased.
   */
  readonly personHash: () => string
  /** Computes `Suppression.hash` of the post author's id; null when the author has no id. */
  readonly authorHash: (() => string) | null
  /** The id by which a repetition is found. [EVT-8] */
  readonly engagementId: string
  /** The signal that caught the engagement. */
  readonly signalId: string
  /**
   * The decision over what the store knows, with the time of the commit. It must be a plain function: a transaction
   * may be tried again.
   */
  readonly decide: (known: CurrentState, now: Instant) => Decision
}

/** The result of a proposal. */
export interface Committed {
  /** The outcome that `decide` gave. */
  readonly outcome: Decision["outcome"]
  /** The lead that has the engagement; null when the observation was suppressed or rejected. */
  readonly leadId: LeadId | null
  /** Why it was rejected, and what to send instead; absent otherwise. */
  readonly message?: string
}

/** A lead with the engagements that the query requests. */
export interface LeadRead {
  /** The lead as it is in the state that the method read. */
  readonly lead: Lead
  /** The lead's newest engagements; null when the query does not request them. */
  readonly window: EngagementWindow | null
}

/** Everything that the store holds about a person. */
export interface PersonData {
  /** The lead with its profile, flags and score. */
  readonly lead: Lead
  /** Every engagement of the lead, newest first, however many. */
  readonly engagements: ReadonlyArray<EngagementRead>
  /**
   * The posts that the person wrote, by the external id, and that leads of the brand engaged with: each once, in no order. An
   * erasure removes the person from them.
   */
  readonly posts: ReadonlyArray<Post>
}

/** One page of the leads that match a filter. */
export interface LeadPage {
  /** How many leads match the filter, on all pages. */
  readonly total: number
  /** Those on the page, in the query's order; empty past the end. [PAGE-3] */
  readonly leads: ReadonlyArray<LeadRead>
}

/**
 * A page whose leads are JSON texts. A store never changes one that it has answered, so a caller may keep what it
 * makes of the page for as long as it has the page itself.
 */
export interface RenderedPage {
  /** How many leads match the filter, on all pages. */
  readonly total: number
  /** Each lead as `RenderedLeads.listed` renders it, with its engagements if the query requests them. */
  readonly leads: ReadonlyArray<string>
}

/** An event with what a feed shows beside it. */
export interface EventRead {
  /** Ascends with the commits of the brand; never given twice. */
  readonly position: number
  /** The event as the outbox has it. */
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
  /** In the order of their positions. */
  readonly events: ReadonlyArray<EventRead>
  /** Where to go on: no event of the brand up to here is missing. */
  readonly position: number
}

/** A lead as its newest change left it, or one that is gone. */
export type ChangeRead =
  | {
      /** The lead is there. */
      readonly type: "lead"
      /** The lead with its engagements, as one state of the store has them. */
      readonly read: LeadRead
    }
  | ({
      /** The lead is gone. */
      readonly type: "removed"
    } & RemovedLead)

/** The changes of one call of `changesAfter`. */
export type ChangePage =
  /** What happened since can no longer be told. [CHG-5] */
  | {
      /** A change since then may be missing. */
      readonly isExpired: true
    }
  | {
      /** No change since then is missing. */
      readonly isExpired: false
      /** In the order of their positions, each lead once. */
      readonly changes: ReadonlyArray<ChangeRead>
      /** Where to go on: no change of the brand up to here is missing. */
      readonly next: ChangePosition
      /** Whether there may be more after it; false where there was nothing more. */
      readonly hasMore: boolean
    }

/** What a store needs to know of a list request. */
export type LeadListQuery = Omit<LeadQuery, "ignored">

/**
 * Two methods of a store that keeps rendered JSON. Without them the use case `Leads` renders what `list` and `get`
 * answer, to the same text.
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

/** The port of a store for leads. A store that can keep rendered JSON has the two methods of `LeadRendering`, too. */
export class LeadStore extends Context.Tag("@lead-signals/domain/LeadStore")<
  LeadStore,
  {
    /**
     * Decides and commits the proposals in order, in one transaction with the events that they fire; each decision
     * sees those before it. Answers in the same order. A commit that succeeded survives a crash of the process and,
     * in a store on disk, a loss of power. `now` is read from `Clock` in the transaction; `ids` gives the ids of the
     * deliveries that the events start, each call another. Fails with `StoreUnavailable`. [DELIV-2]
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
     * Answers one lead, with its newest engagements unless `engagements` is `"none"`. None when it is unknown, erased
     * or another brand's. For `"plain"` engagements the store need not read the author's detail and lead, here and on
     * lists. [AUTH-3, ENG-1]
     */
    readonly get: (
      brandId: BrandId,
      id: LeadId,
      engagements: LeadQuery["engagements"]
    ) => Effect.Effect<Option.Option<LeadRead>, StoreUnavailable>

    /** Answers everything held about a person. None when the lead is unknown, erased or another brand's. [PII-3] */
    readonly exportData: (
      brandId: BrandId,
      id: LeadId
    ) => Effect.Effect<Option.Option<PersonData>, StoreUnavailable>

    /**
     * Replaces the lead by what `change` makes of it, in one transaction: flags, score and `updatedAt` may differ.
     * Answers the new lead, none when the brand has no such lead. `change` must be a plain function: a transaction
     * may be tried again.
     */
    readonly update: (
      brandId: BrandId,
      id: LeadId,
      change: (lead: Lead, now: Instant) => Lead
    ) => Effect.Effect<Option.Option<Lead>, StoreUnavailable>

    /**
     * Erases a lead: its engagements, its events, and their deliveries with body and log. It also removes the person
     * from the posts that others engaged with; the `updatedAt` of those leads moves. It keeps `personHash`, so that
     * `CurrentState.personSuppressed` is true from then on. It removes receivers' answers from the logs of the other
     * leads' deliveries, and gives a pending delivery that has a body a new id and no body, because one id has one
     * body. Answers whether there was such a lead. [PII-3]
     */
    readonly erase: (
      brandId: BrandId,
      id: LeadId,
      personHash: string,
      ids: () => DeliveryId
    ) => Effect.Effect<boolean, StoreUnavailable>

    /**
     * Answers the brand's events after a position, in the order of their commits: at most `limit`, and as many as the
     * store likes to look at. An event that commits later has a greater position than all that were answered. `after`
     * null answers no events, and the position from which later ones follow. Events of erased leads are gone. [LIVE-1]
     */
    readonly eventsAfter: (
      brandId: BrandId,
      after: number | null,
      limit: number
    ) => Effect.Effect<EventPage, StoreUnavailable>

    /**
     * Answers what changed after a position, in the order of commits: at most `limit` changes, of as many rows as the store likes to look at.
     * Each lead has one position, that of its newest change, and is answered there in its newest state: a lead that changes moves to the
     * end. A change that commits later has a greater position than all that were answered, also among concurrent writers. A lead changes
     * with each observation that is recorded, with an update that alters it, and when an erasure takes the author from a post that it
     * engaged with. A lead that is erased or pruned leaves its id and the time for `removedLeadDays`; the deletion of a brand leaves
     * nothing. `after` null begins with the first lead. Expired where a removal after the position is forgotten, and where the position is
     * of another epoch or later than any that this store gave. [CHG-1, CHG-3, CHG-5]
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
     * Removes a part of the brand's leads, small enough that other work does not wait long, each with its
     * engagements, its events and their deliveries. Answers how many leads the brand has left. It serves the deletion
     * of a brand: unlike `erase` it keeps no hash, and leaves the persons in posts that the other leads engaged with,
     * which go with those leads. [DEL-1]
     */
    readonly removeSome: (brandId: BrandId) => Effect.Effect<number, StoreUnavailable>
  } & Partial<LeadRendering>
>() {
  /** Which methods write the store; a wrapper of the port derives its list from here. */
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
