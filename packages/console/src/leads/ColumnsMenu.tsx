/** Which columns the list has, which the browser remembers. */
import { Menu } from "@base-ui/react/menu"
import { useState } from "react"
import { Button } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { menuItemClass, menuPopupClass } from "../ui/menu.ts"
import { type ColumnId, leadColumns } from "./columns.tsx"

const storageKey = "columns"

/** The name stays: it is the link that opens a lead. */
const hideable = leadColumns.filter(({ id }) => id !== "name")

const stored = (): ReadonlySet<ColumnId> => {
  const hidden = (localStorage.getItem(storageKey) ?? "").split(",")
  return new Set(hideable.flatMap(({ id }) => (hidden.includes(id) ? [id] : [])))
}

/** The hidden columns, and a function that shows or hides one. */
export const useHiddenColumns = (): readonly [
  ReadonlySet<ColumnId>,
  (id: ColumnId, isVisible: boolean) => void
] => {
  const [hidden, setHidden] = useState(stored)
  const change = (changed: ColumnId, isVisible: boolean) => {
    const next = hideable.flatMap(({ id }) => ((id === changed ? !isVisible : hidden.has(id)) ? [id] : []))
    localStorage.setItem(storageKey, next.join(","))
    setHidden(new Set(next))
  }
  return [hidden, change]
}

interface ColumnsMenuProps {
  readonly hidden: ReadonlySet<ColumnId>
  readonly onChange: (id: ColumnId, isVisible: boolean) => void
}

export const ColumnsMenu = ({ hidden, onChange }: ColumnsMenuProps) => (
  <Menu.Root>
    <Menu.Trigger
      render={
        <Button icon="columns" className="max-sm:hidden">
          Columns
        </Button>
      }
    />
    <Menu.Portal>
      <Menu.Positioner sideOffset={4} align="end" className="z-50">
        <Menu.Popup className={menuPopupClass}>
          {hideable.map(({ id, title }) => (
            <Menu.CheckboxItem
              key={id}
              className={menuItemClass}
              checked={!hidden.has(id)}
              onCheckedChange={(isVisible) => onChange(id, isVisible)}
            >
              <span className="flex size-4 items-center justify-center">
                <Menu.CheckboxItemIndicator>
                  <Icon name="check" />
                </Menu.CheckboxItemIndicator>
              </span>
              {title}
            </Menu.CheckboxItem>
          ))}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  </Menu.Root>
)
