/** The filters of a list of leads, and the test whether a lead passes them. */
import type { Instant } from "../model/Instant.ts"
import type { Lead, LeadFlags } from "../model/Lead.ts"

/** Filters, joined with AND; an absent filter lets every lead pass. [LIST-5] */
export interface LeadFilter {
  /** Leads with at least one engagement from this signal. Decimal digits. [LIST-2] */
  readonly signalId?: string
  /** Leads whose flag equals this. [LIST-3] */
  readonly qualified?: boolean
  /** Leads whose flag equals this. [LIST-3] */
  readonly exported?: boolean
  /** Leads whose flag equals this. [LIST-3] */
  readonly isEmployee?: boolean
  /** Leads created at this instant or later. [TIME-5] */
  readonly createdAfter?: Instant
  /** Leads created at this instant or earlier. A bound below `createdAfter` matches nothing. [TIME-5, TIME-8] */
  readonly createdBefore?: Instant
  /** Leads updated at this instant or later. [TIME-5] */
  readonly updatedAfter?: Instant
  /** Leads updated at this instant or earlier. A bound below `updatedAfter` matches nothing. [TIME-5, TIME-8] */
  readonly updatedBefore?: Instant
  /** Folded by `Folding.fold`, never empty: a literal part of the folded name or of the folded headline. [LIST-4] */
  readonly search?: string
}

/**
 * The condition by which a SQL store tests each filter; filters of one condition are tested together. A filter without a condition does
 * not compile, and neither does a SQL store without a test for a condition.
 */
const conditionOf = {
  signalId: "signalId",
  qualified: "flags",
  exported: "flags",
  isEmployee: "flags",
  createdAfter: "created",
  createdBefore: "created",
  updatedAfter: "updated",
  updatedBefore: "updated",
  search: "match"
} as const satisfies Readonly<Record<keyof LeadFilter, string>>

/** A condition by which a SQL store tests leads. */
export type FilterCondition = (typeof conditionOf)[keyof LeadFilter]

/** Each condition once. */
export const filterConditions: ReadonlyArray<FilterCondition> = [...new Set(Object.values(conditionOf))]

/** The fields of a lead that filters read, apart from the texts of a search. */
export type FilterableLead = LeadFlags & Pick<Lead, "signalIds" | "createdAt" | "updatedAt">

/** Copies the fields that filters read and no others, for a store that keeps them in memory. */
export const filterableOf = ({
  createdAt,
  exported,
  isEmployee,
  qualified,
  signalIds,
  updatedAt
}: FilterableLead): FilterableLead => ({ createdAt, exported, isEmployee, qualified, signalIds, updatedAt })

/**
 * Whether the lead passes all filters. `contains` says whether its folded name or folded headline contains a text; it is called
 * at most once, and only for a search. [LIST-2 … LIST-5]
 */
export const matchesFilter = (
  filter: LeadFilter,
  lead: FilterableLead,
  contains: (text: string) => boolean
): boolean =>
  (filter.signalId === undefined || lead.signalIds.includes(filter.signalId)) &&
  (filter.qualified === undefined || lead.qualified === filter.qualified) &&
  (filter.exported === undefined || lead.exported === filter.exported) &&
  (filter.isEmployee === undefined || lead.isEmployee === filter.isEmployee) &&
  (filter.createdAfter === undefined || lead.createdAt >= filter.createdAfter) &&
  (filter.createdBefore === undefined || lead.createdAt <= filter.createdBefore) &&
  (filter.updatedAfter === undefined || lead.updatedAt >= filter.updatedAfter) &&
  (filter.updatedBefore === undefined || lead.updatedAt <= filter.updatedBefore) &&
  (filter.search === undefined || contains(filter.search))
