/**
 * Where leads and their engagements are kept. Every method is atomic: it sees one state of the store, and a failed one
 * changed nothing. A brand that does not exist has no leads.
 */
import { Context, type Effect, type Option } from "effect"
import type { BrandId } from "../model/Brand.ts"
import type { DeliveryId } from "../model/Delivery.ts"
import type { StoreUnavailable } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"
import type { EngagementRead, EngagementWindow, Lead, LeadId, Post } from "../model/Lead.ts"
import type { LeadFilter } from "../queries/LeadFilter.ts"
import type { LeadQuery } from "../queries/LeadQuery.ts"
import type { CurrentState, Decision } from "../decisions/Observations.ts"
import type { Operations } from "./Operation.ts"

/** What an observation touches, and the pure decision over what is known of that. */
export interface Proposal {
  readonly personExtId: string
  /** Of the person and of the post's author, by which an erased one is known. Null: no author is known by id. */
  readonly personHash: string
  readonly authorHash: string | null
  readonly engagementId: string
  readonly signalId: string
  readonly decide: (known: CurrentState, now: Instant) => Decision
}

/** What was decided, and the lead it was committed to: null when nothing was. */
export interface Committed {
  readonly outcome: Decision["outcome"]
  readonly leadId: LeadId | null
  readonly message?: string
}

export interface LeadRead {
  readonly lead: Lead
  /** Null when the query did not ask for engagements. */
  readonly window: EngagementWindow | null
}

/** Everything that the store holds about a person. */
export interface PersonData {
  readonly lead: Lead
  /** All of the lead, newest first, however many. */
  readonly engagements: ReadonlyArray<EngagementRead>
  /**
   * The posts that the person wrote, by the external id, and that leads of the brand engaged with: each once, in no order. An
   * erasure removes the person from them.
   */
  readonly posts: ReadonlyArray<Post>
}

export interface LeadPage {
  /** How many leads match the filter, on all pages. */
  readonly total: number
  readonly leads: ReadonlyArray<LeadRead>
}

/** It never changes: whoever was given it may keep what he makes of it for as long as the store keeps the page. */
export interface RenderedPage {
  readonly total: number
  /** Each in JSON as `RenderedLeads.listed` makes it, with its engagements if the query asked for them. */
  readonly leads: ReadonlyArray<string>
}

/**
 * What a store can do besides, to keep the JSON that it has made: without it, the use case `Leads` makes the same JSON of what
 * `list` and `get` answer.
 */
export interface LeadRendering {
  /** The page of `list`, as `RenderedLeads.ofPage` makes it. */
  readonly listRendered: (
    brandId: BrandId,
    query: Pick<LeadQuery, "sort" | "page" | "engagements"> & { readonly filter: LeadFilter }
  ) => Effect.Effect<RenderedPage, StoreUnavailable>

  /** The lead of `get`, as `RenderedLeads.ofLead` makes it. */
  readonly getRendered: (
    brandId: BrandId,
    id: LeadId,
    engagements: "plain" | "detailed"
  ) => Effect.Effect<Option.Option<string>, StoreUnavailable>
}

export class LeadStore extends Context.Tag("@lead-signals/domain/LeadStore")<
  LeadStore,
  {
    /**
     * Decides and commits the proposals in order, all in one transaction with the events they fire; each sees what the
     * ones before it decided. Answers in the same order. When it succeeds, the commit survives a crash of the process
     * and, where the store is on disk, a loss of power. `now` is read from `Clock` in the transaction.
     * `ids` gives the ids of the deliveries that the events start, each call another. [DELIV-2]
     */
    readonly commit: (
      brandId: BrandId,
      proposals: ReadonlyArray<Proposal>,
      ids: () => DeliveryId
    ) => Effect.Effect<ReadonlyArray<Committed>, StoreUnavailable>

    /** One page, ordered by the query's sort with ties by id ascending; a page past the end is empty. [SORT-5, PAGE-3] */
    readonly list: (
      brandId: BrandId,
      query: Pick<LeadQuery, "sort" | "page" | "engagements"> & { readonly filter: LeadFilter }
    ) => Effect.Effect<LeadPage, StoreUnavailable>

    /**
     * One lead, with its newest engagements unless these are `"none"`; none when it is unknown, erased or another brand's. Of
     * `"plain"` engagements the author's detail and lead need not be read, here and on lists. [AUTH-3, ENG-1]
     */
    readonly get: (
      brandId: BrandId,
      id: LeadId,
      engagements: LeadQuery["engagements"]
    ) => Effect.Effect<Option.Option<LeadRead>, StoreUnavailable>

    /** Everything held about the person; none when the lead is unknown, erased or another brand's. [PII-3] */
    readonly exportData: (
      brandId: BrandId,
      id: LeadId
    ) => Effect.Effect<Option.Option<PersonData>, StoreUnavailable>

    /** Replaces the lead by what `change` makes of it, in one transaction; flags, score and updatedAt may differ. */
    readonly update: (
      brandId: BrandId,
      id: LeadId,
      change: (lead: Lead, now: Instant) => Lead
    ) => Effect.Effect<Option.Option<Lead>, StoreUnavailable>

    /**
     * Removes the lead, its engagements, its events and their deliveries with body and log, and everything of the person
     * from the posts that others engaged with, whose updatedAt moves; keeps `personHash`, so that
     * `CurrentState.personSuppressed` is true from then on. Of those others, what receivers answered is taken out of the log,
     * and a pending delivery whose body is made already gets a new id, so that its body is made anew without breaking
     * the rule that one id has one body. Answers whether there was such a lead. [PII-3]
     */
    readonly erase: (
      brandId: BrandId,
      id: LeadId,
      personHash: string,
      ids: () => DeliveryId
    ) => Effect.Effect<boolean, StoreUnavailable>

    /**
     * Removes some of the brand's leads, each with its engagements, its events and their deliveries: as many as keep nobody
     * waiting long. Answers how many leads the brand has left. For a brand that is being deleted: unlike `erase` it keeps no
     * hash, and leaves the persons in posts that the other leads engaged with, which go with those leads.
     */
    readonly removeSome: (brandId: BrandId) => Effect.Effect<number, StoreUnavailable>
  } & Partial<LeadRendering>
>() {
  static readonly operations: Operations<LeadStore["Type"]> = {
    commit: "write",
    list: "read",
    listRendered: "read",
    get: "read",
    getRendered: "read",
    exportData: "read",
    update: "write",
    erase: "write",
    removeSome: "write"
  }
}
