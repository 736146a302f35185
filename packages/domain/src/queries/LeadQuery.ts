import type { LeadFilter } from "./LeadFilter.ts"
import type { Page } from "./Page.ts"
import type { IgnoredParameters } from "./Parameters.ts"
import type { SortOrder } from "./SortOrder.ts"

/** How an answer renders engagements: `detailed` adds the post's author and the signal's source. [ENG-3] */
export type EngagementDepth = "plain" | "detailed"

/** A list request, read and checked. */
export interface LeadQuery {
  /** Which leads the list holds. */
  readonly filter: LeadFilter
  /** The order; ties go by id ascending. [SORT-5] */
  readonly sort: SortOrder
  /** The page and the size applied, after the cap. [PAGE-4] */
  readonly page: Page
  /** How the newest 20 engagements of each lead are rendered; `none` for leads without them. [ENG-1] */
  readonly engagements: EngagementDepth | "none"
  /** The parameters that were ignored. [LIST-10] */
  readonly ignored: IgnoredParameters
}
