/** A list's filter and order, in terms of the columns that both stores have. */
import type { FilterCondition, Instant, LeadFilter, SortOrder } from "@lead-signals/domain"
import { filterConditions } from "@lead-signals/domain/pure"

/** The newest instant that there is, in milliseconds since 1970: that of JavaScript's last `Date`. */
export const endOfTime: Instant = 8_640_000_000_000_000

/** The instants, both included, between which `created_at` or `updated_at` of a lead lies. None does where `from` is above `to`. */
export interface TimeRange {
  /** Which of the two columns. */
  readonly field: "created" | "updated"
  /** At least 0. */
  readonly from: Instant
  /** At most `endOfTime`. */
  readonly to: Instant
}

/** The range of a filter's two bounds; null where it has neither. */
export const rangeOf = (
  field: TimeRange["field"],
  after: Instant | undefined,
  before: Instant | undefined
): TimeRange | null =>
  after === undefined && before === undefined
    ? null
    : { field, from: Math.max(after ?? 0, 0), to: Math.min(before ?? endOfTime, endOfTime) }

/** Every value of the column `flags`, ascending. */
export const allFlags: ReadonlyArray<number> = [0, 1, 2, 3, 4, 5, 6, 7]

/** The values of the column `flags` that pass the filter, ascending; null where it tests no flag. */
export const flagsOfFilter = ({
  exported,
  isEmployee,
  qualified
}: LeadFilter): ReadonlyArray<number> | null => {
  const wanted = [qualified, exported, isEmployee]
  return wanted.every((flag) => flag === undefined)
    ? null
    : allFlags.filter((bits) =>
        wanted.every((flag, i) => flag === undefined || flag === ((bits & (1 << i)) !== 0))
      )
}

/** A filter of a brand's leads by the columns that it tests, each null where it does not. */
interface Tested extends Readonly<Record<FilterCondition, unknown>> {
  readonly brandId: number
  readonly match: { readonly needle: string } | null
}

/** The filter's key in caches: equal for filters that let the same leads of the same brand pass. */
export const filterKeyOf = (tested: Tested): string =>
  JSON.stringify([
    tested.brandId,
    ...filterConditions.map((name) => (name === "match" ? tested.match?.needle : tested[name]))
  ])

/** The orders that have an index. The score has one for each direction, since a missing score ranks last in both. [SORT-6] */
export type OrderingName = "created" | "updated" | "name" | "score" | "scoreDesc"

/** The order whose index a list is read along, or against where it is reversed. */
export const indexedOrderOf = ({
  direction,
  field
}: SortOrder.SortOrder): { readonly name: OrderingName; readonly isReversed: boolean } => {
  const isReversed = direction === "desc"
  switch (field) {
    case "createdAt":
      return { name: "created", isReversed }
    case "updatedAt":
      return { name: "updated", isReversed }
    case "name":
      return { name: "name", isReversed }
    case "score1":
      return { name: isReversed ? "scoreDesc" : "score", isReversed: false }
  }
}
