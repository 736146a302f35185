/** A button with a menu. The menu's code comes when the button is first pointed at or pressed. */
import { lazy, Suspense, useState } from "react"
import { Button, IconButton } from "./Button.tsx"
import type { IconName } from "./Icon.tsx"

/** One line of a menu. */
export interface MenuItem {
  readonly text: string
  readonly onSelect: () => void
  /** Whether it is ticked; the menu stays open then. */
  readonly isChecked?: boolean
  /** Undoes nothing, and is marked so. */
  readonly isDangerous?: boolean
}

interface MenuButtonProps {
  readonly icon: IconName
  readonly label: string
  readonly items: ReadonlyArray<MenuItem>
  /** The icon alone, with the label as its hint. */
  readonly isSmall?: boolean
  readonly disabled?: boolean
}

const load = () => import("./OpenedMenu.tsx")
const OpenedMenu = lazy(async () => ({ default: (await load()).OpenedMenu }))

/** Until the code of the menu is there, a press is kept and opens it then. `isSmall` shows the icon alone. */
export const MenuButton = ({ disabled = false, icon, isSmall = false, items, label }: MenuButtonProps) => {
  const [isWanted, setWanted] = useState(false)
  const shared = {
    icon,
    disabled,
    "aria-haspopup": "menu",
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
    onClick: () => setWanted(true)
  } as const
  const button = isSmall ? (
    <IconButton label={label} className="border-line bg-surface border" {...shared} />
  ) : (
    <Button {...shared}>{label}</Button>
  )
  return isWanted ? (
    <Suspense fallback={button}>
      <OpenedMenu button={button} items={items} />
    </Suspense>
  ) : (
    button
  )
}
