/** The queries of what API clients read, as values: for clients, and for hosts that query without HTTP. */
import type * as Domain from "@lead-signals/domain"

/** An instant: a `Date`, or a text that the API takes (ISO 8601 with an offset, or a day, read as UTC). */
export type Time = Date | string

/** The filters of the domain with their docstrings. */
type WireFilter = {
  readonly [Name in keyof Domain.LeadFilter]?:
    | (Name extends `${string}${"After" | "Before"}` ? Time : Domain.LeadFilter[Name])
    | undefined
}

/** Which leads, all of these at once. An instant of the domain is a `Time` here, and an undefined filter is none. */
export interface LeadFilter extends WireFilter {
  /** A part of the name or of the headline, in any letter case, at most 200 characters; empty: no filter. [LIST-4] */
  readonly search?: string | undefined
}

/** An order of leads. Ties go by id ascending; a null score1 is last in either direction. [SORT-1, SORT-5, SORT-6] */
export type Sort = `${"createdAt" | "updatedAt" | "name" | "score1"}:${"asc" | "desc"}`

/** How each lead is rendered. */
export interface EngagementOptions {
  /** Up to 20 newest engagements of each lead; a page is then of 25 leads at most. */
  readonly includeEngagements?: boolean | undefined
  /**
   * Adds the post's author and the source to each engagement; without `includeEngagements` it has no effect on lists.
   * [ENG-3, ENG-4]
   */
  readonly includeEngagementDetail?: boolean | undefined
}

/** Which leads, in which order, and how they are rendered. */
export interface LeadQuery extends LeadFilter, EngagementOptions {
  /** `createdAt:desc` unless given. [SORT-2] */
  readonly sort?: Sort | undefined
  /**
   * Leads on a page: 25 unless given; at most 100, or 25 with engagements. A larger number is cut. [PAGE-2, PAGE-4]
   */
  readonly pageSize?: number | undefined
}

/** A page of the leads that a query finds. */
export interface LeadPageQuery extends LeadQuery {
  /** The number of the page, from 1; 1 unless given. [PAGE-2] */
  readonly page?: number | undefined
}

/** Days as YYYY-MM-DD, inclusive. */
export interface MetricsQuery {
  /** The first day; without it, from the first snapshot on. */
  readonly startDate?: string | undefined
  /** The last day; without it, up to the latest snapshot. A day before `startDate` is refused. [MET-5] */
  readonly endDate?: string | undefined
}

/** How one lead is rendered, besides its engagements. */
export interface LeadDetailQuery {
  /** Whether each engagement carries the post's author and the source; false by default. [DET-2] */
  readonly includeEngagementDetail?: boolean | undefined
}
