/** The filters that are tested in memory, and what of them is compared with the columns of a lead. */
import type { LeadFilter } from "@lead-signals/domain"
import { goneFlag } from "./LeadColumns.ts"

/** The file answers a list with another one. */
const testedFilters = {
  signalId: true,
  qualified: true,
  exported: true,
  isEmployee: true,
  createdAfter: true,
  createdBefore: true,
  updatedAfter: true,
  updatedBefore: true,
  search: true
} as const satisfies Readonly<Partial<Record<keyof LeadFilter, true>>>

type TestedFilter = Pick<LeadFilter, keyof typeof testedFilters>

/** Whether memory answers the list. */
export const isAnswerable = (filter: LeadFilter): boolean => {
  const { search = "" } = filter
  return (
    Object.entries(filter).every(([name, value]) => value === undefined || name in testedFilters) &&
    search.isWellFormed() &&
    // It would be found where one text ends and the next begins.
    !search.includes("\u0000")
  )
}

/** A filter as numbers. Bounds of time are inclusive, and infinite where there is none. */
export interface SlotFilter {
  /** The bits of flags that must be `bits`; among them that of leads that are gone. */
  readonly mask: number
  readonly bits: number
  /** Whether any bound is finite. */
  readonly hasRange: boolean
  readonly createdAfter: number
  readonly createdBefore: number
  readonly updatedAfter: number
  readonly updatedBefore: number
}

/** All of the filter but the search and the signal. */
export const slotFilter = (filter: TestedFilter): SlotFilter => {
  const { createdAfter = -Infinity, createdBefore = Infinity } = filter
  const { updatedAfter = -Infinity, updatedBefore = Infinity } = filter
  let [mask, bits] = [goneFlag, 0]
  for (const [i, flag] of [filter.qualified, filter.exported, filter.isEmployee].entries()) {
    if (flag === undefined) continue
    mask |= 1 << i
    if (flag) bits |= 1 << i
  }
  const hasRange = [createdAfter, createdBefore, updatedAfter, updatedBefore].some(Number.isFinite)
  return { mask, bits, hasRange, createdAfter, createdBefore, updatedAfter, updatedBefore }
}
