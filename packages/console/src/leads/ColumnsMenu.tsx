/** Which columns the list has: those that fit, unless the reader has chosen otherwise, which the browser remembers. */
import { type RefObject, useLayoutEffect, useMemo, useState } from "react"
import { MenuButton } from "../ui/MenuButton.tsx"
import { type ColumnId, leadColumns } from "./columns.tsx"

const storageKey = "columns"

/** The name stays: it is the link that opens a lead. */
const hideable = leadColumns.filter(({ id }) => id !== "name")

/** What was chosen, by column. It is kept as ids, those of shown columns with a plus. */
type Choices = ReadonlyMap<ColumnId, boolean>

const stored = (): Choices => {
  const kept = (localStorage.getItem(storageKey) ?? "").split(",")
  return new Map(
    hideable
      .filter(({ id }) => kept.includes(id) || kept.includes(`+${id}`))
      .map(({ id }) => [id, kept.includes(`+${id}`)])
  )
}

/** Widths are rounded down to steps, so that resizing the window draws the list seldom. */
const stepPixels = 20

/** The width of the element, rounded down. */
const useWidth = (place: RefObject<HTMLElement | null>): number => {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = place.current!
    const measure = () => setWidth(Math.floor(element.clientWidth / stepPixels) * stepPixels)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [place])
  return width
}

/** A card has room for a line of facts below the name: what a list needs a wide window for is left to the reader's choice. */
const fitsCard = (fits: number): boolean => fits <= 860

/** The columns of a list in the element `place`, of cards or of rows, and a function that shows or hides one. */
export const useColumns = (
  place: RefObject<HTMLElement | null>,
  hasCards: boolean
): readonly [ReadonlySet<ColumnId>, (id: ColumnId) => void] => {
  const [choices, setChoices] = useState(stored)
  const width = useWidth(place)
  const visible = useMemo(
    () =>
      new Set(
        leadColumns.flatMap(({ fits, id }) =>
          (choices.get(id) ?? (hasCards ? fitsCard(fits) : width >= fits)) ? [id] : []
        )
      ),
    [choices, width, hasCards]
  )
  const toggle = (id: ColumnId) => {
    const next = new Map(choices).set(id, !visible.has(id))
    localStorage.setItem(
      storageKey,
      Array.from(next, ([each, isVisible]) => `${isVisible ? "+" : ""}${each}`).join(",")
    )
    setChoices(next)
  }
  return [visible, toggle]
}

interface ColumnsMenuProps {
  readonly visible: ReadonlySet<ColumnId>
  readonly onToggle: (id: ColumnId) => void
}

/** The menu "Columns": a tick shows or hides a column at once and for later visits. The name is not in it. */
export const ColumnsMenu = ({ onToggle, visible }: ColumnsMenuProps) => (
  <MenuButton
    icon="columns"
    label="Columns"
    items={hideable.map(({ id, title }) => ({
      text: title,
      isChecked: visible.has(id),
      onSelect: () => onToggle(id)
    }))}
  />
)
