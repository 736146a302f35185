/** The orders of leads, each with its index, and the texts by which rank buckets name their beginnings. */
import type { SortOrder } from "@lead-signals/domain"
import { indexedOrderOf, type OrderingName, type TimeRange } from "@lead-signals/sql-rows"

/** A key of an order: an instant, a folded name or a score. */
export type Key = string | number

/** An order of leads, and how it is read: along its index or against it. */
export interface Ordering {
  readonly name: OrderingName
  /** The column of `lead` that the order's index has after the brand. */
  readonly column: string
  readonly isReversed: boolean
  /** The field whose range restricts the walk itself. */
  readonly range: TimeRange["field"] | null
  /** A key as a text that sorts as the keys do. */
  readonly textOf: (key: Key) => string
  /** The key of such a text; one below every key for the empty text, where the first bucket begins. */
  readonly keyOf: (text: string) => Key
}

const instantDigits = 16

const instant = {
  textOf: (key: Key) => String(key).padStart(instantDigits, "0"),
  keyOf: (text: string) => (text === "" ? -1 : Number(text))
}

const sign = 1n << 63n
const all = (1n << 64n) - 1n

/** The bits of a double, changed so that greater numbers have greater bits. */
const score = {
  textOf: (key: Key) => {
    const view = new DataView(new ArrayBuffer(8))
    // Adding 0 makes 0 of -0.
    view.setFloat64(0, Number(key) + 0)
    const bits = view.getBigUint64(0)
    return ((bits & sign) === 0n ? bits | sign : bits ^ all).toString(16).padStart(16, "0")
  },
  keyOf: (text: string) => {
    if (text === "") return Number.NEGATIVE_INFINITY
    const bits = BigInt(`0x${text}`)
    const view = new DataView(new ArrayBuffer(8))
    view.setBigUint64(0, (bits & sign) === 0n ? bits ^ all : bits ^ sign)
    return view.getFloat64(0)
  }
}

const name = { textOf: String, keyOf: (text: string): Key => text }

/** The orders by name, each as it is read along its index. */
export const orderings: { readonly [N in OrderingName]: Ordering } = {
  created: { name: "created", column: "created_at", isReversed: false, range: "created", ...instant },
  updated: { name: "updated", column: "updated_at", isReversed: false, range: "updated", ...instant },
  name: { name: "name", column: "name_key", isReversed: false, range: null, ...name },
  score: { name: "score", column: "score_rank", isReversed: false, range: null, ...score },
  scoreDesc: { name: "scoreDesc", column: "score_rank_desc", isReversed: false, range: null, ...score }
}

/** The order that a list requests. */
export const orderingOf = (sort: SortOrder.SortOrder): Ordering => {
  const { isReversed, name } = indexedOrderOf(sort)
  return { ...orderings[name], isReversed }
}
