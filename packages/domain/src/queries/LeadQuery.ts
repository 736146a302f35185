import type { Instant } from "../model/Instant.ts"
import type { Page } from "./Page.ts"
import type { SortOrder } from "./SortOrder.ts"

/** Filters, joined with AND; an absent one lets everything through. [LIST-5] */
export interface LeadFilter {
  /** Leads with at least one engagement from this signal. Decimal digits. [LIST-2] */
  readonly signalId?: string
  readonly qualified?: boolean
  readonly exported?: boolean
  readonly isEmployee?: boolean
  /** Inclusive bounds. [TIME-5] */
  readonly createdAfter?: Instant
  readonly createdBefore?: Instant
  readonly updatedAfter?: Instant
  readonly updatedBefore?: Instant
  /** Folded by `Folding.fold`, never empty: a literal part of the folded name or of the folded headline. [LIST-4] */
  readonly search?: string
}

/** A list request, read and checked. */
export interface LeadQuery {
  readonly filter: LeadFilter
  readonly sort: SortOrder
  readonly page: Page
  readonly engagements: "none" | "plain" | "detailed"
  /** Names of parameters that were ignored, with what may have been meant. [LIST-10] */
  readonly warnings: ReadonlyArray<string>
}
