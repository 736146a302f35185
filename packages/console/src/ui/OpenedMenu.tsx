/** The menu of a button, once it was opened: arrow keys and letters move in it, Escape closes it. */
import { Menu } from "@base-ui/react/menu"
import type { ReactElement } from "react"
import { Icon } from "./Icon.tsx"
import type { MenuItem } from "./MenuButton.tsx"

const itemClass =
  "data-highlighted:bg-sunken flex min-h-8 cursor-default items-center gap-2 rounded px-2 outline-none select-none touch:min-h-11"

const Item = ({ item: { isChecked, isDangerous = false, onSelect, text } }: { readonly item: MenuItem }) =>
  isChecked === undefined ? (
    <Menu.Item className={`${itemClass} ${isDangerous ? "text-danger" : ""}`} onClick={onSelect}>
      {text}
    </Menu.Item>
  ) : (
    <Menu.CheckboxItem className={itemClass} checked={isChecked} onCheckedChange={onSelect}>
      <span className="flex size-4 items-center justify-center">
        <Menu.CheckboxItemIndicator>
          <Icon name="check" />
        </Menu.CheckboxItemIndicator>
      </span>
      {text}
    </Menu.CheckboxItem>
  )

/** Opens at once; `MenuButton` loads it. At most 70 % of the height of the window, then it scrolls. */
export const OpenedMenu = ({
  button,
  items
}: {
  readonly button: ReactElement
  readonly items: ReadonlyArray<MenuItem>
}) => (
  <Menu.Root defaultOpen>
    <Menu.Trigger render={button} />
    <Menu.Portal>
      <Menu.Positioner sideOffset={4} align="end" className="z-50">
        <Menu.Popup className="card flex max-h-[70vh] max-w-[90vw] min-w-48 flex-col overflow-y-auto p-1 text-sm shadow-xl outline-none">
          {items.map((item) => (
            <Item key={item.text} item={item} />
          ))}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  </Menu.Root>
)
