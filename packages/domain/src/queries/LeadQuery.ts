import type { LeadFilter } from "./LeadFilter.ts"
import type { Page } from "./Page.ts"
import type { SortOrder } from "./SortOrder.ts"

/** A list request, read and checked. */
export interface LeadQuery {
  readonly filter: LeadFilter
  readonly sort: SortOrder
  readonly page: Page
  readonly engagements: "none" | "plain" | "detailed"
  /** Names of parameters that were ignored, with what may have been meant. [LIST-10] */
  readonly warnings: ReadonlyArray<string>
}
