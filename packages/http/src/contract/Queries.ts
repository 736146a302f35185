/** The queries of what API clients read, as values: for clients, and for hosts that query without HTTP. */

/** An instant: a `Date`, or a text that the API takes (ISO 8601 with an offset, or a day, read as UTC). */
export type Time = Date | string

/** Which leads, all of these at once. */
export interface LeadFilter {
  /** With at least one engagement from this signal. */
  readonly signalId?: string | undefined
  readonly qualified?: boolean | undefined
  readonly exported?: boolean | undefined
  readonly isEmployee?: boolean | undefined
  /** Bounds are inclusive. */
  readonly createdAfter?: Time | undefined
  readonly createdBefore?: Time | undefined
  readonly updatedAfter?: Time | undefined
  readonly updatedBefore?: Time | undefined
  /** Part of the name or of the headline, in any letter case; at most 200 characters. */
  readonly search?: string | undefined
}

export type Sort = `${"createdAt" | "updatedAt" | "name" | "score1"}:${"asc" | "desc"}`

/** What each lead is rendered with. */
export interface Shown {
  /** Up to 20 newest engagements of each lead; a page is then of 25 leads at most. */
  readonly includeEngagements?: boolean | undefined
  /** The post's author and the source with each engagement; needs `includeEngagements`. */
  readonly includeEngagementDetail?: boolean | undefined
}

export interface LeadQuery extends LeadFilter, Shown {
  readonly sort?: Sort | undefined
  /** 25 unless given; at most 100, or 25 with engagements. */
  readonly pageSize?: number | undefined
}

export interface LeadPageQuery extends LeadQuery {
  /** From 1. */
  readonly page?: number | undefined
}

/** Days as YYYY-MM-DD, inclusive. */
export interface MetricsQuery {
  readonly startDate?: string | undefined
  readonly endDate?: string | undefined
}

export interface LeadDetailQuery {
  readonly includeEngagementDetail?: boolean | undefined
}
