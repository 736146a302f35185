/** Which columns the list has, which the browser remembers. */
import { Menu } from "@base-ui/react/menu"
import type { ColumnVisibilityState } from "@tanstack/react-table"
import { useState } from "react"
import { Button } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { menuItemClass, menuPopupClass } from "../ui/menu.ts"
import { columnTexts } from "./columns.tsx"

const storageKey = "columns"

const stored = (): ColumnVisibilityState => {
  const hidden = (localStorage.getItem(storageKey) ?? "").split(",")
  return Object.fromEntries(Object.keys(columnTexts).map((id) => [id, !hidden.includes(id)]))
}

/** The visible columns, and a function that shows or hides one. */
export const useColumns = (): readonly [ColumnVisibilityState, (id: string, isVisible: boolean) => void] => {
  const [visibility, setVisibility] = useState(stored)
  const change = (id: string, isVisible: boolean) => {
    const next = { ...visibility, [id]: isVisible }
    const hidden = Object.keys(columnTexts).filter((each) => next[each] === false)
    localStorage.setItem(storageKey, hidden.join(","))
    setVisibility(next)
  }
  return [visibility, change]
}

interface ColumnsMenuProps {
  readonly visibility: ColumnVisibilityState
  readonly onChange: (id: string, isVisible: boolean) => void
}

export const ColumnsMenu = ({ onChange, visibility }: ColumnsMenuProps) => (
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
          {Object.entries(columnTexts).map(([id, text]) => (
            <Menu.CheckboxItem
              key={id}
              className={menuItemClass}
              checked={visibility[id] !== false}
              onCheckedChange={(isVisible) => onChange(id, isVisible)}
            >
              <span className="flex size-4 items-center justify-center">
                <Menu.CheckboxItemIndicator>
                  <Icon name="check" />
                </Menu.CheckboxItemIndicator>
              </span>
              {text}
            </Menu.CheckboxItem>
          ))}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  </Menu.Root>
)
