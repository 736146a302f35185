/** Moving through the rows of a page by keys: `j` and `k` focus the next row and the one before, and turn the page at its end. */
import { useEffect } from "react"

const isIn = "#content [data-row]"

/** Which row of the next page gets the focus once it is there. */
let landing: "first" | "last" | null = null

/** The link that opens the row, or the row itself where it opens nothing. */
const focusRow = (row: HTMLElement): void => (row.querySelector<HTMLElement>("a[href]") ?? row).focus()

/** The row that has the focus or holds what has it; null where none does. */
export const focusedRow = (): HTMLElement | null => document.activeElement?.closest<HTMLElement>(isIn) ?? null

/** Focuses the row after `current`, or the one before; the first where there is none. Null where the page ends, which is turned. */
export const moveRow = (key: "j" | "k", current = focusedRow()): HTMLElement | null => {
  const rows = Array.from(document.querySelectorAll<HTMLElement>(isIn))
  const at = current === null ? -1 : rows.indexOf(current)
  const next = rows[at < 0 ? 0 : at + (key === "j" ? 1 : -1)]
  landing = null
  if (next !== undefined) {
    focusRow(next)
    return next
  }
  const pageButton = document.querySelector<HTMLButtonElement>(
    `#content [data-turn=${key === "j" ? "next" : "previous"}]:not(:disabled)`
  )
  if (rows.length > 0 && pageButton !== null) {
    landing = key === "j" ? "first" : "last"
    pageButton.click()
  }
  return null
}

/** Gives the focus to a row of a page that a key has turned to. `isThere`: whether the rows are those of that page. */
export const useFocusOnNewPage = (
  rows: unknown,
  isThere: boolean,
  onRow?: (row: HTMLElement) => void
): void => {
  useEffect(() => {
    if (landing === null || !isThere) return
    const row = Array.from(document.querySelectorAll<HTMLElement>(isIn)).at(landing === "first" ? 0 : -1)
    if (row === undefined) return
    landing = null
    focusRow(row)
    onRow?.(row)
  }, [rows, isThere])
}
