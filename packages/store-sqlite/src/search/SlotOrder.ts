/** The orders of the API over slots. Keys are numbers; a name has as many levels of them as it has parts of six bytes. */
import type { SortOrder } from "@lead-signals/domain"
import type { KeyedOrder } from "./KeySelection.ts"
import type { LeadColumns } from "./LeadColumns.ts"
import type { SlotTexts } from "./SlotTexts.ts"

/** The level of an order at which ids decide, behind those of all parts of names. */
const idLevel = -1

/** Ties by id, ascending, whatever the direction. [SORT-5] It is of the columns as they are: a lead that is put in ends it. */
export const slotOrder = (
  { direction, field }: SortOrder.SortOrder,
  columns: LeadColumns,
  texts: SlotTexts
): KeyedOrder => {
  const sign = direction === "desc" ? -1 : 1
  const { created, prefixes, scores, updated } = columns
  const column = { createdAt: created, updatedAt: updated, score1: scores, name: prefixes }[field]
  const isName = field === "name"
  // Missing scores last all the same.
  const keyOf = (slot: number): number => (column[slot] === Infinity ? Infinity : sign * column[slot]!)
  return {
    writeKeys: (slots, level, keys) => {
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i]!
        keys[i] =
          level === 0
            ? keyOf(slot)
            : level === idLevel
              ? columns.idAt(slot)
              : sign * texts.namePart(slot, level)
      }
    },
    levelAfter: (level, key) => {
      if (level === idLevel) return null
      // The name goes on where its part is full.
      return isName && key % 256 !== 0 ? level + 1 : idLevel
    },
    compare: (a, b) => {
      const [left, right] = [keyOf(a), keyOf(b)]
      if (left < right) return -1
      if (left > right) return 1
      return (isName ? sign * texts.compareNames(a, b) : 0) || columns.idAt(a) - columns.idAt(b)
    }
  }
}
