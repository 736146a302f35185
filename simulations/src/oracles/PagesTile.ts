import { folded } from "@lead-signals/store-contract/reference"
import type { Json } from "../world/KnownFacts.ts"
import type { Oracle } from "./Oracle.ts"

const points = (text: string): ReadonlyArray<number> => Array.from(text, (each) => each.codePointAt(0)!)

const compareTexts = (a: string, b: string): number => {
  const [left, right] = [points(a), points(b)]
  for (let i = 0; ; i++) {
    if (left[i] === undefined || right[i] === undefined) return left.length - right.length
    if (left[i] !== right[i]) return left[i]! - right[i]!
  }
}

const compare = (field: string, a: Json, b: Json): number => {
  if (field === "score1") return a.score1 - b.score1
  return field === "name" ? compareTexts(folded(a.name), folded(b.name)) : compareTexts(a[field], b[field])
}

/** On quiet data the pages of each order have every lead once, in that order, ties by id, nulls last. [SORT-5, SORT-6, PAGE-1] */
export const pagesTile: Oracle = {
  name: "pages tile",
  instantiate: (facts) => ({
    conclude: () => {
      for (const [name, leads] of facts.finalLists) {
        const [brandId, order] = name.split(" ") as [string, string]
        const [field, direction] = order.split(":") as [string, string]
        const { reference } = facts.brandOf(brandId)!
        if (new Set(leads.map(({ id }) => id)).size !== leads.length) return `by ${order} a lead came twice`
        if (leads.length !== reference.rows.length) {
          return `by ${order} there were ${leads.length} leads instead of ${reference.rows.length}`
        }
        for (let i = 1; i < leads.length; i++) {
          const [before, after] = [leads[i - 1], leads[i]]
          if (field === "score1" && (before.score1 === null || after.score1 === null)) {
            const isRight = after.score1 === null && (before.score1 !== null || before.id < after.id)
            if (!isRight) return `by ${order} leads without a score are not last, by id`
            continue
          }
          const order1 = compare(field, before, after) * (direction === "asc" ? 1 : -1)
          if (order1 > 0 || (order1 === 0 && before.id > after.id))
            return `by ${order} ${after.id} follows ${before.id}`
        }
      }
      return null
    }
  })
}
