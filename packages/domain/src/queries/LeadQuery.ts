import type { LeadFilter } from "./LeadFilter.ts"
import type { Page } from "./Page.ts"
import type { IgnoredParameters } from "./Parameters.ts"
import type { SortOrder } from "./SortOrder.ts"

/** A list request, read and checked. */
export interface LeadQuery {
  /** Which leads the list holds. */
  readonly filter: LeadFilter
  /** The order; ties go by id ascending. [SORT-5] */
  readonly sort: SortOrder
  /** The page and the size applied, after the cap. [PAGE-4] */
  readonly page: Page
  /**
   * `none`: no engagements. `plain`: the newest 20 of each lead. `detailed`: those with the post's author and the
   * source. [ENG-1, ENG-3]
   */
  readonly engagements: "none" | "plain" | "detailed"
  /** The parameters that were ignored. [LIST-10] */
  readonly ignored: IgnoredParameters
}
