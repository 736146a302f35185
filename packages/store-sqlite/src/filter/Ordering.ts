/** The orders of leads, each with its index. */
import type { SortOrder } from "@lead-signals/domain"
import type { Range } from "./Selection.ts"

/** An order of leads, and how it is read: along its index or against it. */
export interface Ordering {
  readonly name: "created" | "updated" | "name" | "score" | "scoreDesc"
  readonly index: string
  readonly column: string
  readonly isReversed: boolean
  /** The range that restricts the walk itself, when the order's own field is filtered. */
  readonly range: Range["field"] | null
}

const along = { isReversed: false, range: null }

/** The orders by name. The score has one for each direction, since a missing score ranks last in both. [SORT-3] */
export const orderings: { readonly [N in Ordering["name"]]: Ordering } = {
  created: { ...along, name: "created", index: "lead_by_created", column: "l.created_at", range: "created" },
  updated: { ...along, name: "updated", index: "lead_by_updated", column: "l.updated_at", range: "updated" },
  name: { ...along, name: "name", index: "lead_by_name", column: "l.name_key" },
  score: { ...along, name: "score", index: "lead_by_score", column: "l.score_rank" },
  scoreDesc: { ...along, name: "scoreDesc", index: "lead_by_score_desc", column: "l.score_rank_desc" }
}

/** The order in SQL, with ties by id, ascending. [SORT-5] */
export const orderingOf = ({ direction, field }: SortOrder.SortOrder): Ordering => {
  const isReversed = direction === "desc"
  switch (field) {
    case "createdAt":
      return { ...orderings.created, isReversed }
    case "updatedAt":
      return { ...orderings.updated, isReversed }
    case "name":
      return { ...orderings.name, isReversed }
    case "score1":
      return isReversed ? orderings.scoreDesc : orderings.score
  }
}
