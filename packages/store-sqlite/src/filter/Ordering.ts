/** The orders of leads, each with its index. */
import type { SortOrder } from "@lead-signals/domain"
import { indexedOrderOf, type OrderingName, type TimeRange } from "@lead-signals/sql-rows"

/** An order of leads, and how it is read: along its index or against it. */
export interface Ordering {
  readonly name: OrderingName
  readonly index: string
  readonly column: string
  readonly isReversed: boolean
  /** The range that restricts the walk itself, when the order's own field is filtered. */
  readonly range: TimeRange["field"] | null
}

const along = { isReversed: false, range: null }

/** The orders by name, each as it is read along its index. */
export const orderings: { readonly [N in OrderingName]: Ordering } = {
  created: { ...along, name: "created", index: "lead_by_created", column: "l.created_at", range: "created" },
  updated: { ...along, name: "updated", index: "lead_by_updated", column: "l.updated_at", range: "updated" },
  name: { ...along, name: "name", index: "lead_by_name", column: "l.name_key" },
  score: { ...along, name: "score", index: "lead_by_score", column: "l.score_rank" },
  scoreDesc: { ...along, name: "scoreDesc", index: "lead_by_score_desc", column: "l.score_rank_desc" }
}

/** The order in SQL, with ties by id, ascending. [SORT-5] */
export const orderingOf = (sort: SortOrder.SortOrder): Ordering => {
  const { isReversed, name } = indexedOrderOf(sort)
  return { ...orderings[name], isReversed }
}
